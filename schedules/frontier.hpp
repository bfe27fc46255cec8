// A frontier, as data: what a step costs at least with every amount of a memory, or by every
// deadline. Written by `plan --frontier`, read by `show`. A point need not have a schedule. A curve
// that comes from one solution counts bytes that are live at once, and addresses may take a little
// more; one that comes from a plan for every point counts the arena, and says what is proved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

struct FrontierEntry {
  std::int64_t bytes = 0;  // the least with which it can be had
  std::optional<double> seconds;
  std::optional<double> joules;
  std::optional<double> lower_bound;    // of the objective with so many bytes: proved
  std::optional<std::string> schedule;  // the path of its file
  double deadline_seconds = 0;          // over time: the soonest with which it can be had
};

enum class FrontierOver { memory, time };

struct Frontier {
  std::string model;  // names
  std::string platform;
  std::string memory;  // whose bytes vary; "" over time
  Objective objective = Objective::energy;
  bool addressed = false;             // bytes are those of an arena, else live ones
  std::vector<FrontierEntry> points;  // bytes or deadlines grow
  FrontierOver over = FrontierOver::memory;
};

// Throws InputError if it is not a "stint-frontier" file.
Frontier parse_frontier(const std::string& text, const std::string& file);
std::string frontier_text(const Frontier& frontier);

std::string summary(const Frontier& frontier);       // for people
std::string summary_json(const Frontier& frontier);  // one object on one line

}  // namespace stint
