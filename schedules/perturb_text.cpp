#include <fmt/format.h>

#include <algorithm>

#include "schedules/perturb.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

constexpr std::size_t critical_actions_shown = 10;

void add_row(TextTable& table, const std::string& name, const Distribution& values,
             std::string (*text)(double)) {
  table.row({name, text(values.planned), text(values.least), text(values.low), text(values.median),
             text(values.high), text(values.greatest), text(values.all_longest)});
}

std::string distribution_table(const Perturbation& result) {
  TextTable table({{"", TextTable::Align::left},
                   {"planned"},
                   {"least"},
                   {"5 %"},
                   {"median"},
                   {"95 %"},
                   {"greatest"},
                   {"all longest"}});
  add_row(table, "step", result.seconds, seconds_text);
  add_row(table, "energy", result.joules, joules_text);
  add_row(table, "another order gains", result.gain, percent_text);
  add_row(table, "no order gains more than", result.gain_bound, percent_text);
  return table.text();
}

std::string critical_table(const std::vector<CriticalAction>& critical) {
  TextTable table({{"critical", TextTable::Align::left},
                   {"of", TextTable::Align::left},
                   {"on", TextTable::Align::left},
                   {"planned"},
                   {"of samples"}});
  for (std::size_t i = 0; i < std::min(critical.size(), critical_actions_shown); ++i) {
    const CriticalAction& action = critical[i];
    table.row({fmt::format("action {}", action.id), action.name, action.worker,
               seconds_text(action.seconds), percent_text(action.share)});
  }
  return table.empty() ? "" : '\n' + table.text();
}

}  // namespace

std::string summary(const Perturbation& result) {
  std::string text = fmt::format(
      "errors     times of tasks from 1/{0:.4g} to {0:.4g} times as planned; {1}, seed {2}\n",
      1 + result.options.error, count_text(result.options.samples, "sample"), result.options.seed);
  if (result.late) text += fmt::format("late       {} of them\n", percent_text(*result.late));
  return text + '\n' + distribution_table(result) + critical_table(result.critical);
}

}  // namespace stint
