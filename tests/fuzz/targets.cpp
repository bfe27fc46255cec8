#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "executor/run.hpp"
#include "files/input_error.hpp"
#include "models/graph.hpp"
#include "models/layers/network.hpp"
#include "models/onnx/read_onnx.hpp"
#include "platforms/platform.hpp"
#include "schedules/dot.hpp"
#include "schedules/judged.hpp"
#include "schedules/paje.hpp"
#include "schedules/schedule.hpp"
#include "schedules/summary.hpp"
#include "schedules/trace.hpp"
#include "schedules/validate.hpp"
#include "tests/support/reference_run.hpp"

namespace stint {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

void require_one_line(const std::string& message) {
  require(!message.empty() && message.find('\n') == std::string::npos,
          "a fault is not one line: " + message);
}

void read(const std::function<void()>& reader) {
  try {
    reader();
  } catch (const InputError& error) {
    require_one_line(error.what());
  }
}

// Everything that `show` says of a graph or a platform.
template <typename Noun>
void show(const Noun& noun) {
  summary(noun);
  summary_json(noun);
  dot_text(noun);
}

void show(const Schedule& schedule, const Judged& judged) {
  summary(schedule, judged);
  summary_json(schedule, judged);
  dot_text(schedule);
  if (!judged.simulation) return;
  trace_text(schedule, *judged.simulation);
  paje_text(schedule, *judged.simulation);
}

// What a fuzzer can replay thousands of times.
bool is_small(const Schedule& schedule) {
  constexpr std::int64_t most_bytes = 1 << 20;
  std::int64_t workers = 0;
  for (const Device& device : schedule.platform.devices) workers += device.workers;
  for (const auto& [name, bytes] : schedule.arenas) {
    if (bytes < 0 || bytes > most_bytes) return false;
  }
  for (const Tensor& tensor : schedule.graph.tensors) {
    if (tensor.bytes > most_bytes) return false;
  }
  for (const Task& task : schedule.graph.tasks) {
    if (task.workspace_bytes > most_bytes) return false;
  }
  return workers <= 8;
}

}  // namespace

void fuzz_graph(const std::string& text) {
  read([&] {
    const Graph graph = parse_graph(text, "graph.json");
    require(parse_graph(graph_text(graph), "written.json") == graph, "a graph changes in writing");
    show(graph);
  });
}

void fuzz_network(const std::string& text) {
  read([&] {
    const Network network = parse_network(text, "network.json");
    require(parse_network(network_text(network), "written.json") == network,
            "a network changes in writing");
  });
}

void fuzz_platform(const std::string& text) {
  read([&] {
    const Platform platform = parse_platform(text, "platform.json");
    require(parse_platform(platform_text(platform), "written.json") == platform,
            "a platform changes in writing");
    show(platform);
  });
}

void fuzz_schedule(const std::string& text) {
  read([&] {
    const Schedule schedule = parse_schedule(text, "schedule.json");
    const Judged judged = judge(schedule);
    for (const Violation& violation : judged.violations) require_one_line(to_string(violation));
    show(schedule, judged);
    if (!schedule.unresolved.empty()) return;  // what names nothing cannot be written
    const std::string written = schedule_text(schedule);
    require(schedule_text(parse_schedule(written, "written.json")) == written,
            "a schedule changes in writing");
  });
}

void fuzz_run(const std::string& text) {
  read([&] {
    const Schedule schedule = parse_schedule(text, "schedule.json");
    if (!schedule.unresolved.empty() || !is_small(schedule) || !validate(schedule).empty()) return;
    const RunReport report =
        run(schedule, {.steps = 2, .warmup_steps = 0, .pace = Pace::none}, false);
    const ReferenceRun expected = reference_run(schedule.graph, 2);
    require(report.replayed_exactly, "an accepted schedule is not replayed exactly");
    require(report.state_sha256 == expected.state_sha256 &&
                report.results_sha256 == expected.results_sha256,
            "an accepted schedule ends with other bits");
  });
}

void fuzz_onnx(const std::string& bytes) {
  constexpr std::int64_t most_values = 1 << 16;
  read([&] {
    const OnnxModel model = parse_onnx(bytes, "model.onnx");
    require(parse_network(network_text(model.network), "written.json") == model.network,
            "a network changes in writing");
    for (const WeightSource& source : model.weights) {
      std::int64_t count = 1;
      for (const std::int64_t size : source.shape) count = std::min(count * size, most_values + 1);
      if (count > most_values) continue;
      read([&] {
        require(
            static_cast<std::int64_t>(initial_values(bytes, "model.onnx", source).size()) == count,
            "a parameter has more or fewer values than its shape");
      });
    }
  });
}

void fuzz_report(const std::string& text) {
  read([&] {
    const RunReport report = parse_run_report(text, "report.json");
    const std::string written = run_report_text(report);
    require(run_report_text(parse_run_report(written, "written.json")) == written,
            "a report changes in writing");
    summary(report);
    summary_json(report);
  });
}

}  // namespace stint
