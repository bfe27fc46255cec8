#include "tests/fuzz/targets.hpp"

#include <functional>
#include <stdexcept>

#include "files/input_error.hpp"
#include "models/graph.hpp"
#include "platforms/platform.hpp"
#include "schedules/schedule.hpp"
#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"

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

}  // namespace

void fuzz_graph(const std::string& text) {
  read([&] {
    const Graph graph = parse_graph(text, "graph.json");
    const std::string written = graph_text(graph);
    require(parse_graph(written, "written.json") == graph, "a graph changes when written");
    require(graph_text(parse_graph(written, "written.json")) == written, "a text changes");
  });
}

void fuzz_platform(const std::string& text) {
  read([&] {
    const Platform platform = parse_platform(text, "platform.json");
    const std::string written = platform_text(platform);
    require(parse_platform(written, "written.json") == platform, "a platform changes when written");
  });
}

void fuzz_schedule(const std::string& text) {
  read([&] {
    const Schedule schedule = parse_schedule(text, "schedule.json");
    const auto violations = validate(schedule);
    for (const Violation& violation : violations) require_one_line(to_string(violation));
    if (!can_be_simulated(violations)) return;
    const Simulation simulation = simulate(schedule);
    predict(schedule, simulation);
    memory_curves(schedule, simulation);
    const std::string written = schedule_text(schedule);
    require(schedule_text(parse_schedule(written, "written.json")) == written,
            "a schedule changes when written");
  });
}

}  // namespace stint
