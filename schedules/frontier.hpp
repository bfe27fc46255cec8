// A frontier, as data: what a step costs at least with every amount of a memory. Written by `plan
// --frontier`, read by `show`. A point need not have a schedule: the curve comes from one solution,
// in bytes that are live at once, and addresses may take a little more.
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
  std::optional<std::string> schedule;  // the path of its file
};

struct Frontier {
  std::string model;  // names
  std::string platform;
  std::string memory;  // whose bytes vary
  Objective objective = Objective::energy;
  std::vector<FrontierEntry> points;  // bytes grow
};

// Throws InputError if it is not a "stint-frontier" file.
Frontier parse_frontier(const std::string& text, const std::string& file);
std::string frontier_text(const Frontier& frontier);

std::string summary(const Frontier& frontier);       // for people
std::string summary_json(const Frontier& frontier);  // one object on one line

}  // namespace stint
