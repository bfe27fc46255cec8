#include "schedules/show.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"
#include "platforms/power/saved_settings.hpp"
#include "schedules/dot.hpp"
#include "schedules/energy_summary.hpp"
#include "schedules/paje.hpp"
#include "schedules/summary.hpp"
#include "schedules/trace.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

const Schedule& schedule_of(const Shown& shown, const char* purpose) {
  const auto* const schedule = std::get_if<Schedule>(&shown.content);
  if (schedule != nullptr) return *schedule;
  throw InputError(shown.file,
                   fmt::format("no schedule, so {}; expected a stint-schedule file", purpose));
}

const Schedule& good_schedule_of(const Shown& shown, const char* purpose) {
  const Schedule& schedule = schedule_of(shown, purpose);
  if (!shown.has_violations()) return schedule;
  throw InputError(
      shown.file,
      fmt::format("{}, so {}; expected a schedule without violations, see show --check",
                  count_text(std::ssize(shown.judged->violations), "violation"), purpose));
}

const Simulation& simulation_of(const Shown& shown) {
  if (shown.judged->simulation) return *shown.judged->simulation;
  throw InputError(shown.file,
                   "cannot be simulated, so it has no timeline; expected a schedule "
                   "without violations, see show --check");
}

struct Check {
  std::string operator()(const Graph& graph) const {
    return "ok, " + count_text(std::ssize(graph.tasks), "task");
  }
  std::string operator()(const Network& network) const {
    return "ok, " + count_text(std::ssize(network.layers), "layer");
  }
  std::string operator()(const Platform& platform) const {
    return "ok, " + count_text(std::ssize(platform.devices), "device");
  }
  std::string operator()(const RunReport& report) const {
    return "ok, " + count_text(report.steps, "step");
  }
  std::string operator()(const Frontier& frontier) const {
    return "ok, " + count_text(std::ssize(frontier.points), "point");
  }
  std::string operator()(const Schedule& schedule) const {
    return fmt::format("ok, {}, {}", count_text(std::ssize(schedule.actions), "action"),
                       count_text(rule_count, "rule"));
  }
};

std::vector<PowerKnob> knobs_here(const Shown& shown) {
  const PowerControl control(shown.power);
  return power_knobs(control, saved_settings_file());
}

}  // namespace

Shown read_shown(const std::string& path) {
  Shown shown{path == "-" ? "standard input" : path, read_any_file(path), std::nullopt};
  const auto* const schedule = std::get_if<Schedule>(&shown.content);
  if (schedule != nullptr) shown.judged = judge(*schedule);
  return shown;
}

void set_batch(Shown& shown, std::int64_t batch) {
  if (!std::holds_alternative<Network>(shown.content)) {
    throw InputError(shown.file,
                     "no model of layers, so it has no batch to choose; expected a "
                     "stint-model file beside --batch");
  }
  shown.batch = batch;
}

std::string summary(const Shown& shown) {
  if (const auto* const network = std::get_if<Network>(&shown.content)) {
    return summary(*network, shown.batch);
  }
  if (const auto* const graph = std::get_if<Graph>(&shown.content)) return summary(*graph);
  if (const auto* const schedule = std::get_if<Schedule>(&shown.content)) {
    return summary(*schedule, *shown.judged);
  }
  if (const auto* const report = std::get_if<RunReport>(&shown.content)) return summary(*report);
  if (const auto* const frontier = std::get_if<Frontier>(&shown.content)) return summary(*frontier);
  const std::string text = summary(std::get<Platform>(shown.content));
  if (shown.file != "here") return text;
  return text + '\n' + summary(all_energy_sources(shown.counters)) + '\n' +
         summary(knobs_here(shown));
}

std::string summary_json(const Shown& shown) {
  if (const auto* const network = std::get_if<Network>(&shown.content)) {
    return summary_json(*network, shown.batch);
  }
  if (const auto* const graph = std::get_if<Graph>(&shown.content)) return summary_json(*graph);
  if (const auto* const platform = std::get_if<Platform>(&shown.content)) {
    if (shown.file != "here") return summary_json(*platform);
    return summary_json(*platform, all_energy_sources(shown.counters), knobs_here(shown));
  }
  if (const auto* const report = std::get_if<RunReport>(&shown.content)) {
    return summary_json(*report);
  }
  if (const auto* const frontier = std::get_if<Frontier>(&shown.content)) {
    return summary_json(*frontier);
  }
  return summary_json(std::get<Schedule>(shown.content), *shown.judged);
}

std::string check_text(const Shown& shown) {
  const std::string file = one_line(shown.file) + ": ";
  if (!shown.has_violations()) return file + std::visit(Check{}, shown.content) + '\n';
  std::string text;
  for (const Violation& violation : shown.judged->violations) {
    text += file + one_line(to_string(violation)) + '\n';
  }
  return text;
}

std::string dot_text(const Shown& shown) {
  return std::visit(
      [&](const auto& content) -> std::string {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, RunReport> || std::is_same_v<Content, Frontier>) {
          throw InputError(shown.file,
                           "a run's report or a frontier, which has no picture; expected "
                           "a schedule");
        } else {
          return dot_text(content);
        }
      },
      shown.content);
}

std::string trace_text(const Shown& shown) {
  const Schedule& schedule = schedule_of(shown, "it has no timeline");
  return trace_text(schedule, simulation_of(shown));
}

std::string paje_text(const Shown& shown) {
  const Schedule& schedule = schedule_of(shown, "it has no timeline");
  return paje_text(schedule, simulation_of(shown));
}

Perturbation perturb(const Shown& shown, const PerturbOptions& options) {
  return perturb(good_schedule_of(shown, "its times cannot be doubted"), options);
}

SimgridFiles simgrid_files(const Shown& shown) {
  return simgrid_files(good_schedule_of(shown, "SimGrid cannot replay it"));
}

std::string comparison(const Shown& first, const Shown& second) {
  const Schedule& a = schedule_of(first, "there is nothing to compare");
  const Schedule& b = schedule_of(second, "there is nothing to compare");
  return comparison(a, *first.judged, b, *second.judged);
}

std::string comparison_json(const Shown& first, const Shown& second) {
  return "{\"first\": " + summary_json(first) + ", \"second\": " + summary_json(second) + "}\n";
}

}  // namespace stint
