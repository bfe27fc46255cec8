#include "tests/fuzz/targets.hpp"

#include <functional>
#include <stdexcept>

#include "files/input_error.hpp"
#include "models/graph.hpp"
#include "platforms/platform.hpp"
#include "schedules/dot.hpp"
#include "schedules/judged.hpp"
#include "schedules/paje.hpp"
#include "schedules/schedule.hpp"
#include "schedules/summary.hpp"
#include "schedules/trace.hpp"

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

}  // namespace

void fuzz_graph(const std::string& text) {
  read([&] {
    const Graph graph = parse_graph(text, "graph.json");
    require(parse_graph(graph_text(graph), "written.json") == graph, "a graph changes in writing");
    show(graph);
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

}  // namespace stint
