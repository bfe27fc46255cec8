#include "schedules/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "files/input_error.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;
constexpr std::size_t worst_actions_shown = 5;

// The part of the prediction that is comparable with what was measured.
double comparable_joules(const RunReport& report) {
  const auto& measured = report.energy.measured;
  return measured ? measured->predicted_covered.total() : report.predicted.joules;
}

std::string comparison_table(const RunReport& report) {
  const bool modelled = report.energy.basis.starts_with("modelled");
  TextTable table({{"", Align::left}, {"predicted"}, {"measured"}, {"error"}});
  table.row({"step", seconds_text(report.predicted.seconds), seconds_text(report.measured.seconds),
             error_text(report.error_seconds())});
  table.row({modelled ? "energy (modelled)" : "energy", joules_text(comparable_joules(report)),
             joules_text(report.measured.joules), error_text(report.error_joules())});
  if (report.energy.measured) {
    table.row({"energy not measured",
               joules_text(report.energy.measured->predicted_uncovered.total()), "-", "-"});
  }
  return table.text();
}

std::string basis_line(const EnergyBasis& energy) {
  std::string text = "basis      " + one_line(energy.basis);
  if (energy.basis.starts_with("modelled")) {
    text += ": measured times x the platform's prices, no counter was read";
  }
  for (const std::string& domain : energy.domains) text += ", " + one_line(domain);
  if (energy.why_not_better) text += " (" + one_line(*energy.why_not_better) + ")";
  return text + '\n';
}

std::string peak_lines(const RunReport& report) {
  std::string text;
  for (const auto& [memory, bytes] : report.peak_bytes) {
    text += fmt::format("peak       {} in {}\n", bytes_text(bytes), one_line(memory));
  }
  return text;
}

// The first loss, the last, and a few between them, at equal distances.
std::string loss_line(const std::vector<double>& loss) {
  constexpr std::size_t shown = 6;
  if (loss.empty()) return "";
  std::string text = "loss      ";
  const std::size_t count = std::min(loss.size(), shown);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t step = count == 1 ? 0 : i * (loss.size() - 1) / (count - 1);
    text += fmt::format("{} {:.4f}", i == 0 ? "" : " >", loss[step]);
  }
  return text + '\n';
}

std::string evaluation_line(const std::optional<Evaluation>& evaluation) {
  if (!evaluation) return "";
  std::string text = fmt::format("held out   loss {:.4f}", evaluation->loss);
  if (evaluation->accuracy) text += fmt::format(", {:.1f} % right", 100 * *evaluation->accuracy);
  text += fmt::format(", over {}", count_text(evaluation->samples, "sample"));
  if (evaluation->left_out > 0) text += fmt::format(" ({} left out)", evaluation->left_out);
  return text + '\n';
}

// The actions whose error matters most for the energy; where nothing has a price, for the time.
std::string worst_actions(const RunReport& report) {
  std::vector<RunAction> worst = report.actions;
  const auto off = [](const RunAction& action) {
    return std::pair(std::abs(action.error_joules),
                     std::abs(action.measured_seconds - action.predicted_seconds));
  };
  std::stable_sort(worst.begin(), worst.end(),
                   [&](const RunAction& a, const RunAction& b) { return off(a) > off(b); });
  worst.resize(std::min(worst.size(), worst_actions_shown));
  TextTable table({{"furthest off", Align::left},
                   {"of", Align::left},
                   {"on", Align::left},
                   {"predicted"},
                   {"measured"},
                   {"error"}});
  for (const RunAction& action : worst) {
    table.row({fmt::format("action {}", action.id), action.name, action.worker,
               seconds_text(action.predicted_seconds), seconds_text(action.measured_seconds),
               joules_text(action.error_joules)});
  }
  return table.empty() ? "" : '\n' + table.text();
}

std::string bills_text(const RunReport& report) {
  std::string text;
  for (const EnergyBill& bill : report.bills) text += '\n' + bill_table(bill);
  const std::string ledger = ledger_table(report.ledger);
  return ledger.empty() ? text : text + '\n' + ledger;
}

}  // namespace

std::optional<double> RunReport::error_seconds() const {
  return relative_error(measured.seconds, predicted.seconds);
}

std::optional<double> RunReport::error_joules() const {
  return relative_error(measured.joules, comparable_joules(*this));
}

double MeasuredEnergy::joules() const {
  double sum = 0;
  for (const DomainEnergy& domain : domains) sum += domain.compared ? domain.joules : 0;
  return sum;
}

std::string loss_fault(const RunReport& report) {
  const auto fault = std::find_if(report.loss.begin(), report.loss.end(),
                                  [](double loss) { return !std::isfinite(loss); });
  if (fault == report.loss.end()) return "";
  return fmt::format("the loss of step {} is not a finite number (of {}, counted from 0)",
                     fault - report.loss.begin(), count_text(report.steps, "step"));
}

std::string summary(const RunReport& report) {
  std::string text = fmt::format("run        {}, {} after {}\n", one_line(report.name),
                                 count_text(report.steps, "step"),
                                 count_text(report.warmup_steps, "warm-up step"));
  text += fmt::format("replayed   {}\n", report.replayed_exactly
                                             ? "exactly as scheduled"
                                             : "NOT as scheduled: the order was not kept");
  if (report.degraded) {
    text += "degraded   predicted and run without the plan's power states: " +
            one_line(*report.degraded) + '\n';
  }
  text += loss_line(report.loss) + evaluation_line(report.evaluation);
  text += basis_line(report.energy);
  text += peak_lines(report);
  text += fmt::format("spread     {} to {}, median {}\n", seconds_text(report.spread.least_seconds),
                      seconds_text(report.spread.greatest_seconds),
                      seconds_text(report.spread.median_seconds));
  text += fmt::format("state      {}\nresults    {}\n", one_line(report.state_sha256),
                      one_line(report.results_sha256));
  for (const std::string& note : report.notes) text += "note       " + one_line(note) + '\n';
  return text + '\n' + comparison_table(report) + bills_text(report) + worst_actions(report);
}

}  // namespace stint
