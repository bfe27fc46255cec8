// How workers wait for each other: what a hand-over takes, and what becomes of the time between
// steps. One rule for the simulator, the executor and the bill.
//
// An action that comes after one of another compute worker begins when that has been seen: so many
// seconds after it has ended, fewer for a worker that spins than for one that has to be woken up.
// The device of the worker that waits says how many, in its time model under `hand_over`. Within a
// worker's list, and to and from links, whose latency has it, nothing is added.
//
// From a worker's last action of a step to its first of the next is one gap, and the `wait` of its
// first compute says how it is spent. A worker that computes nothing sleeps.
#pragma once

#include <vector>

#include "platforms/names.hpp"
#include "schedules/schedule.hpp"

namespace stint {

inline constexpr const char* hand_over_prices = "hand_over";  // the key of the time model
inline constexpr const char* spin_term = "spin";              // and its terms, in seconds
inline constexpr const char* sleep_term = "sleep";
inline constexpr const char* read_term = "read";  // and by byte (handed_bytes.hpp)
inline constexpr const char* write_term = "write";

// Of a device; 0 unless its time model says.
double hand_over_price(const Device& device, const char* term);
double hand_over_seconds(const Device& device, Wait wait);

class HandOvers {
 public:
  // References must outlive it.
  HandOvers(const Schedule& schedule, const std::vector<Worker>& workers);

  bool are_free() const { return free_; }

  // From the end of `earlier` until `later`, which comes after it, may begin.
  double seconds(ActionId earlier, ActionId later) const {
    return free_ ? 0 : passing_seconds(earlier, later);
  }

 private:
  double passing_seconds(ActionId earlier, ActionId later) const;

  struct Seconds {
    double spin = 0;
    double sleep = 0;
  };
  const Schedule& schedule_;
  const std::vector<Worker>& workers_;
  std::vector<Seconds> of_device_;
  bool free_ = true;  // nobody says what it takes
};

// Of a compute worker with this list.
Wait wait_between_steps(const Schedule& schedule, const std::vector<ActionId>& list);

}  // namespace stint
