// What the frame asks of a strategy: from a problem to its best schedule, or to what it would have
// needed, or nothing if the problem is not of its kind. A strategy's word is not taken: the frame
// has every schedule simulated and judged.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/bounds.hpp"
#include "planner/problem.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// How to search; never decides what is found, but for an interruption.
struct SearchOptions {
  int threads = 1;
  const std::atomic<bool>* interrupted = nullptr;  // set by Ctrl-C
  std::function<void(const Schedule&)> improved;   // called with each better plan and its proof
  bool explains = true;             // where there is no plan, look for memory that has one
  const Schedule* known = nullptr;  // the best plan of the strategies before: somewhere to start

  bool is_interrupted() const { return interrupted != nullptr && interrupted->load(); }
};

struct Answer {
  std::optional<Schedule> schedule;  // without a proof
  // Where there is none: by memory the smallest arena of a plan that meets every other bound, and
  // the shortest plan that fits the memories.
  std::map<MemoryId, std::int64_t> least_arena;
  std::optional<double> least_seconds;
  std::optional<Schedule> late;  // that plan: other power states may bring it in time
  // What the strategy proved about every plan of the problem, whatever its kind: a bound on the
  // objective, and by memory the bytes with less of which there is no plan.
  std::optional<Bound> bound;
  std::map<MemoryId, std::int64_t> proved_bytes;
};

struct Strategy {
  std::string name;          // may be followed by a colon and what the strategy makes of it
  bool is_automatic = true;  // or only when asked for, to compare with
  std::function<std::optional<Answer>(const Problem&, const SearchOptions&)> solve;
};

// In the order in which ties are broken.
const std::vector<Strategy>& strategies();

// The strategy's own name: what stands before a colon.
std::string strategy_name(const std::string& asked);

// Throws InputError unless the strategy that is asked for is one, or auto, and a pipeline that is
// asked for can be meant. What follows a colon is for the strategy to judge.
void expect_strategy(const Request& request);

// A deadline on the step that the request sets, by itself or through the period it is billed for.
std::optional<double> deadline_seconds(const Request& request);
bool meets(double seconds, const std::optional<double>& deadline);  // to 1e-9

}  // namespace stint
