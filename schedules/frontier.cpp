#include "schedules/frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "files/input_error.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

constexpr std::size_t most_rows = 24;

// Rows spread over all points, the first and the last among them.
std::vector<std::size_t> points_shown(std::size_t points) {
  std::vector<std::size_t> shown;
  const std::size_t rows = std::min(points, most_rows);
  for (std::size_t row = 0; row < rows; ++row) {
    shown.push_back(rows == 1 ? 0 : row * (points - 1) / (rows - 1));
  }
  return shown;
}

std::string gap_text(const Frontier& frontier, const FrontierEntry& point) {
  const auto value = frontier.objective == Objective::time ? point.seconds : point.joules;
  if (!value || !point.lower_bound || *value == 0) return "-";
  return percent_text((*value - *point.lower_bound) / *value);
}

}  // namespace

std::string summary(const Frontier& frontier) {
  const std::size_t points = frontier.points.size();
  const bool over_time = frontier.over == FrontierOver::time;
  TextTable table(
      {{over_time ? "deadline" : frontier.memory}, {"step"}, {"energy"}, {"gap at most"}});
  for (const std::size_t i : points_shown(points)) {
    const FrontierEntry& point = frontier.points[i];
    table.row({over_time ? seconds_text(point.deadline_seconds) : bytes_text(point.bytes),
               point.seconds ? seconds_text(*point.seconds) : "-",
               point.joules ? joules_text(*point.joules) : "-", gap_text(frontier, point)});
  }
  const std::string some =
      points > most_rows ? fmt::format(" ({} of {} points)", most_rows, points) : "";
  return fmt::format("frontier   {} on {}, least {} {}{}\n{}", one_line(frontier.model),
                     one_line(frontier.platform), to_string(frontier.objective),
                     frontier.addressed ? "with addresses" : "for live bytes", some, table.text());
}

}  // namespace stint
