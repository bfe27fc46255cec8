#include "schedules/colours.hpp"

#include <fmt/format.h>

#include <array>

namespace stint {
namespace {

std::array<int, 3> channels(const std::string& colour) {
  std::array<int, 3> values{};
  for (std::size_t i = 0; i < 3; ++i)
    values[i] = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16);
  return values;
}

std::string darker(const std::string& colour) {
  const auto [red, green, blue] = channels(colour);
  return fmt::format("#{:02x}{:02x}{:02x}", red * 3 / 4, green * 3 / 4, blue * 3 / 4);
}

}  // namespace

std::string colour_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "#a6cee3";
    case Phase::loss:
      return "#fdbf6f";
    case Phase::backward:
      return "#b2df8a";
    case Phase::update:
      return "#cab2d6";
    case Phase::other:
      break;
  }
  return "#e0e0e0";
}

std::string colour_of(const Schedule& schedule, const Action& action, bool again) {
  if (action.what == Do::copy) return "#fb9a99";
  if (action.what == Do::load) return "#ffff99";
  const bool known = action.task != no_task;
  const std::string colour =
      colour_of(known ? schedule.graph.tasks[action.task].phase : Phase::other);
  return again ? darker(colour) : colour;
}

std::string paje_colour(const std::string& colour) {
  const auto [red, green, blue] = channels(colour);
  return fmt::format("{:.3f} {:.3f} {:.3f}", red / 255.0, green / 255.0, blue / 255.0);
}

}  // namespace stint
