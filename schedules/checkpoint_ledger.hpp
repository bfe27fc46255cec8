// What every checkpointing decision cost and what it saved: a tensor is absent from a memory for a
// while, and then is computed again or copied back.
//
// The price is what the actions add that bring it back (of an offload also the copy that took it
// away), and, where they lie on the critical path, what is always on for as long as they lengthen
// the step. The saving is bytes (rounded up to the alignment) x the seconds of absence, and the
// bytes if the memory was at its peak meanwhile. Predicted times decide when that was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/energy_bill.hpp"

namespace stint {

struct LedgerEntry {
  std::string decision;         // `recompute` or `offload`
  std::string name;             // of the task, or of the tensor
  std::string memory;           // from which it was absent
  std::int64_t action = 0;      // id of the one that brings it back
  SecondsAndJoules predicted;   // what its actions add
  SecondsAndJoules measured;    // likewise, from measured times
  double shared_joules = 0;     // predicted: for the step that is longer for it
  std::int64_t bytes = 0;       // absent
  double byte_seconds = 0;      // bytes x seconds of absence
  std::int64_t peak_bytes = 0;  // absent when the memory is fullest

  double cost_joules() const { return measured.joules + shared_joules; }
};

// In the order of the file: every execution of a task but the first, and every copy that brings
// back what was there before. `measured_seconds` by action.
std::vector<LedgerEntry> checkpoint_ledger(const Schedule& schedule, const Simulation& simulation,
                                           const std::vector<double>& measured_seconds);

// For people: the dearest, and the sum of all. "" if there are none.
std::string ledger_table(const std::vector<LedgerEntry>& ledger);

}  // namespace stint
