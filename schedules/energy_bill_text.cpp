#include <fmt/format.h>

#include <cmath>

#include "schedules/energy_bill.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;
constexpr double sigmas_in_90_percent = 1.645;  // to each side, of a normal distribution

std::string watts_or_dash(const std::optional<double>& watts) {
  return watts ? watts_text(*watts) : "-";
}

std::string seconds_or_dash(const BillLine& line, double seconds) {
  return line.predicted.seconds == 0 && line.measured.seconds == 0 ? "-" : seconds_text(seconds);
}

std::string spread_text(const BillLine& line) {
  if (line.sigma.joules == 0 || line.predicted.joules == 0) return "-";
  return fmt::format("{:.1f} %",
                     100 * sigmas_in_90_percent * line.sigma.joules / line.predicted.joules);
}

bool is_nothing(const BillLine& line) {
  return line.actions == 0 && line.predicted.joules == 0 && line.measured.joules == 0;
}

void add_row(TextTable& table, const BillLine& line) {
  table.row({line.name, line.actions == 0 ? "" : std::to_string(line.actions),
             seconds_or_dash(line, line.predicted.seconds),
             seconds_or_dash(line, line.measured.seconds), error_text(line.error_seconds()),
             watts_or_dash(line.predicted.watts()), watts_or_dash(line.measured.watts()),
             error_text(line.error_watts()), joules_text(line.predicted.joules), spread_text(line),
             joules_text(line.measured.joules), error_text(line.error_joules())});
}

}  // namespace

std::string error_text(const std::optional<double>& error) {
  if (!error) return "-";
  const double tenths = std::round(1000 * *error);
  return fmt::format("{:+.1f} %", tenths == 0 ? 0 : tenths / 10);  // never -0.0
}

std::string bill_table(const EnergyBill& bill) {
  TextTable table({{bill.part == "all" ? "energy bill" : bill.part, Align::left},
                   {"actions"},
                   {"time"},
                   {"measured"},
                   {"error"},
                   {"power"},
                   {"measured"},
                   {"error"},
                   {"energy"},
                   {"90 % +-"},
                   {"measured"},
                   {"error"}});
  for (const BillLine& line : bill.lines) {
    if (!is_nothing(line)) add_row(table, line);
  }
  add_row(table, bill.total);
  return table.text();
}

}  // namespace stint
