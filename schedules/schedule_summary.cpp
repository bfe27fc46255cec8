#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/input_error.hpp"
#include "schedules/prices.hpp"
#include "schedules/summary.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;

// The objective's value in its unit.
std::string value_text(Objective objective, double value) {
  switch (objective) {
    case Objective::time:
      return seconds_text(value);
    case Objective::memory:
      return fmt::format("{:.0f} B", value);
    case Objective::edp:
      return fmt::format("{:.4g} Js", value);
    case Objective::energy:
      break;
  }
  return joules_text(value);
}

std::string request_line(const Request& request) {
  std::string text = "request    least " + to_string(request.objective);
  for (const auto& [memory, bytes] : request.memory) {
    text += fmt::format(", {} within {}", one_line(memory), bytes_text(bytes));
  }
  if (request.deadline_seconds) text += ", deadline " + seconds_text(*request.deadline_seconds);
  text += ", billed for the " + bill_text(request);
  if (!request.recompute) text += ", nothing recomputed";
  if (!request.offload) text += ", nothing offloaded";
  return text + '\n';
}

// Nothing of a synchronous step.
std::string ahead_line(const Lowering& lowering) {
  if (lowering.pipelined.empty()) return "";
  std::string text = "weights    updated by each of ";
  text += count_text(lowering.microbatches, "micro-batch", "micro-batches") + ", in stages from ";
  for (const std::string& layer : lowering.pipelined)
    text += (&layer == &lowering.pipelined.front() ? "" : ", ") + one_line(layer);
  return text + '\n';
}

std::string verdict_line(const Judged& judged) {
  if (judged.violations.empty()) return "verdict    valid\n";
  return fmt::format("verdict    NOT VALID: {}, the first {}\n",
                     count_text(std::ssize(judged.violations), "violation"),
                     one_line(to_string(judged.violations.front())));
}

std::string predicted_line(const Predicted& predicted, const Judged& judged) {
  std::string text = fmt::format("predicted  {}, {}", seconds_text(predicted.seconds),
                                 joules_text(predicted.joules));
  if (predicted.recomputed > 0) {
    text +=
        fmt::format(", {} of {} executions recompute", predicted.recomputed, predicted.executions);
  }
  if (predicted.copied_bytes > 0) text += ", " + bytes_text(predicted.copied_bytes) + " copied";
  return text + (judged.simulation ? "\n" : " (the file's word: it cannot be simulated)\n");
}

std::string proof_line(const Predicted& predicted) {
  const Proof& proof = predicted.objective;
  const std::string bound = fmt::format(
      "{} (by {})", value_text(proof.objective, proof.lower_bound), one_line(proof.bound_by));
  std::string text = predicted.optimal
                         ? "proof      optimal: meets the lower bound of " + bound
                         : fmt::format("proof      gap of {} to what is proved to be needed, {}",
                                       percent_text(proof.gap), bound);
  if (predicted.interrupted) text += "; the search was interrupted";
  return text + '\n';
}

// Joules for bytes that were in no cache are part of what computes add.
std::string energy(const Predicted& predicted, double cache_joules) {
  const JoulesBy& by = predicted.joules_by;
  const std::array<std::pair<const char*, double>, 9> terms = {{{"compute", by.compute},
                                                                {"  of it caches", cache_joules},
                                                                {"copy", by.copy},
                                                                {"switch", by.switches},
                                                                {"wait", by.wait},
                                                                {"active", by.active},
                                                                {"idle", by.idle},
                                                                {"memory", by.memory},
                                                                {"base", by.base}}};
  TextTable table({{"energy", Align::left}, {"joules"}, {"share"}});
  const double total = by.total();
  for (const auto& [name, joules] : terms) {
    if (joules == 0) continue;
    table.row({name, joules_text(joules), percent_text(total == 0 ? 0 : joules / total)});
  }
  return table.empty() ? "" : '\n' + table.text();
}

template <typename Map>
std::string bytes_at(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? "" : bytes_text(found->second);
}

std::string memories(const Schedule& schedule, const Predicted& predicted) {
  TextTable table({{"memory", Align::left}, {"peak"}, {"arena"}, {"bound"}, {"capacity"}});
  for (int i = 0; i < static_cast<int>(schedule.platform.memories.size()); ++i) {
    const std::string name = memory_name(schedule.platform, MemoryId{i});
    const bool shown = predicted.peak_bytes.contains(name) || schedule.arenas.contains(name) ||
                       schedule.request.memory.contains(name);
    if (!shown) continue;
    table.row({name, bytes_at(predicted.peak_bytes, name), bytes_at(schedule.arenas, name),
               bytes_at(schedule.request.memory, name),
               bytes_text(schedule.platform.memories[i].bytes)});
  }
  return table.empty() ? "" : '\n' + table.text();
}

std::string busy(const Schedule& schedule, const Simulation& simulation) {
  constexpr int most_shown = 24;
  TextTable table({{"worker", Align::left}, {"actions"}, {"busy"}, {"share"}});
  const auto all = workers(schedule.platform);
  const auto by_worker = busy_by_worker(schedule, simulation);
  int used = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [seconds, actions] = by_worker[i];
    if (actions == 0 || ++used > most_shown) continue;
    const double makespan = simulation.makespan_seconds;
    table.row({all[i].name, std::to_string(actions), seconds_text(seconds),
               percent_text(makespan == 0 ? 0 : seconds / makespan)});
  }
  std::string text = '\n' + table.text();
  if (used > most_shown) text += fmt::format("and {} more workers\n", used - most_shown);
  const int unused = static_cast<int>(all.size()) - used;
  if (unused > 0) text += fmt::format("{} of {} workers and links idle\n", unused, all.size());
  return text;
}

}  // namespace

Predicted prediction(const Schedule& schedule, const Judged& judged) {
  return judged.simulation ? predict(schedule, *judged.simulation) : schedule.predicted;
}

std::string summary(const Schedule& schedule, const Judged& judged) {
  const Predicted predicted = prediction(schedule, judged);
  std::string text = fmt::format("{} on {}: a schedule of {} by strategy {} (stint {})\n\n",
                                 one_line(schedule.graph.name), one_line(schedule.platform.name),
                                 count_text(std::ssize(schedule.actions), "action"),
                                 one_line(predicted.strategy), one_line(schedule.stint));
  text += verdict_line(judged) + request_line(schedule.request) + ahead_line(schedule.lowering) +
          predicted_line(predicted, judged);
  text += proof_line(predicted) + "prices     " + assumed_text(prices(schedule.platform)) + '\n';
  text += energy(predicted, judged.simulation ? judged.simulation->cache_joules : 0) +
          memories(schedule, predicted);
  return text + (judged.simulation ? busy(schedule, *judged.simulation) : "");
}

}  // namespace stint
