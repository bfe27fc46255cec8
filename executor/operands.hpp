// Which bytes each action touches: its buffers as places in arenas, with the right half of every
// double buffer (schedules/README.md, "Double buffers").
#pragma once

#include <vector>

#include "executor/backend.hpp"
#include "schedules/contents.hpp"
#include "schedules/happens_before.hpp"
#include "schedules/layout.hpp"

namespace stint {

// In a double buffer of state the version from before the step and the updated one stand side by
// side. A task says by its place in the list of tasks which one it wants; a copy takes the new one
// if that is certain to be there.
class HalfChooser {
 public:
  HalfChooser(const Schedule& schedule, const HappensBefore& before);

  // Whether the action reads what the step has written into the other half. Throws InputError if it
  // would need bytes of both.
  bool reads_other_half(ActionId action, BufferId buffer) const;

 private:
  bool reads_other_half(ActionId action, int cell) const;

  const Schedule& schedule_;
  const HappensBefore& before_;
  Layout layout_;
  StateVersions versions_;
  std::vector<int> writer_;  // by cell: the action that rewrites it, or nobody
};

Operands operands(const Schedule& schedule, const HalfChooser& halves, ActionId action);

// The buffer in the half of this step, or in that of the next.
Place place(const Schedule& schedule, BufferId buffer, bool other_half = false);

}  // namespace stint
