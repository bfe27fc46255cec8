#include "planner/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schedules/prices.hpp"
#include "schedules/units.hpp"

namespace stint {

namespace {

constexpr std::size_t most_names = 8;

std::string value_text(Objective objective, double value) {
  switch (objective) {
    case Objective::time:
      return seconds_text(value);
    case Objective::memory:
      return bytes_text(static_cast<std::int64_t>(value));
    case Objective::edp:
      return fmt::format("{:.4g} J s", value);
    case Objective::energy:
      break;
  }
  return joules_text(value);
}

// "peak 6 B of 1 GiB"; with several memories each with its name.
std::string peak_text(const Problem& problem, const Schedule& schedule) {
  std::string text;
  for (const auto& [name, arena] : schedule.arenas) {
    const std::int64_t most = problem.capacity_bytes[*find_memory(problem.platform(), name)];
    const std::string where = schedule.arenas.size() > 1 ? " in " + name : "";
    text += fmt::format("{}peak {} of {}{}", text.empty() ? "" : ", ", bytes_text(arena),
                        bytes_text(most), where);
  }
  return text;
}

std::string proof_text(const Predicted& predicted) {
  std::string text = predicted.optimal ? "optimal" : "gap " + percent_text(predicted.objective.gap);
  return predicted.interrupted ? text + ", interrupted" : text;
}

std::string names_text(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), most_names);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

std::string shortage_text(const Shortage& shortage) {
  const auto amount = [&](double value) {
    return shortage.in_bytes ? bytes_text(static_cast<std::int64_t>(value)) : seconds_text(value);
  };
  std::string text = shortage.what + " of " + amount(shortage.asked) + "; expected at least " +
                     amount(shortage.lower_bound) + " (proved)";
  if (shortage.found) text += ", " + amount(*shortage.found) + " was found to work";
  if (!shortage.tensors.empty()) text += "; at the peak: " + names_text(shortage.tensors);
  if (!shortage.reason.empty() && shortage.reason != shortage.tensors)
    text += "; too large by themselves: " + names_text(shortage.reason);
  return text;
}

std::string answer_text(const Proof& proof, const WhatIf& answer) {
  const bool costs = answer.saves < 0;
  const double amount = std::abs(answer.saves);
  const std::string share = proof.value == 0 ? "" : " (" + percent_text(amount / proof.value) + ")";
  const std::string found = amount == 0 ? "save nothing that was found"
                                        : fmt::format("{} {}{}", costs ? "cost" : "save",
                                                      value_text(proof.objective, amount), share);
  const double most = std::max(0.0, answer.saves_at_most);
  return fmt::format("what if   {} would {}; proved: {}", answer.change, found,
                     most == 0 ? "no plan saves anything"
                               : "no plan saves more than " + value_text(proof.objective, most));
}

}  // namespace

std::string what_if_text(const Predicted& predicted, const std::vector<WhatIf>& answers) {
  if (answers.empty()) return "what if   nothing limits this plan: no bound, no deadline";
  std::string text;
  for (const WhatIf& answer : answers)
    text += (text.empty() ? "" : "\n") + answer_text(predicted.objective, answer);
  return text;
}

std::string problem_text(const Problem& problem) {
  const Platform& platform = problem.platform();
  std::string text = fmt::format("{}, {}, {}", count_text(std::ssize(platform.devices), "device"),
                                 count_text(std::ssize(platform.memories), "memory", "memories"),
                                 count_text(std::ssize(problem.graph().tasks), "task"));
  if (const auto& shards = problem.request().shards; !shards.empty())
    text += fmt::format(", {} in shards", count_text(std::ssize(shards), "layer"));
  const auto all = prices(platform);
  const bool assumed = std::any_of(all.begin(), all.end(), [](const Price& price) {
    return price.quantity.basis == Basis::assumed;
  });
  return assumed ? text + "; prices: " + assumed_text(all) : text;
}

std::string plan_text(const Problem& problem, const Schedule& schedule) {
  const Predicted& predicted = schedule.predicted;
  return fmt::format("plan      {}   {}   {}   recomputes {}   {}", joules_text(predicted.joules),
                     seconds_text(predicted.seconds), peak_text(problem, schedule),
                     count_text(predicted.recomputed, "task"), proof_text(predicted));
}

std::string no_plan_text(const Outcome& outcome) {
  std::string text = outcome.status == Status::infeasible ? "infeasible" : "no plan found";
  if (outcome.interrupted) text += " before the interruption";
  if (outcome.not_of_its_kind) text += ": the strategy is not for such a graph and request";
  for (const Shortage& shortage : outcome.shortages) text += ": " + shortage_text(shortage);
  return text;
}

std::string progress_text(const Predicted& predicted) {
  const Proof& proof = predicted.objective;
  return fmt::format("best {}, bound {}, gap {}", value_text(proof.objective, proof.value),
                     value_text(proof.objective, proof.lower_bound), percent_text(proof.gap));
}

}  // namespace stint
