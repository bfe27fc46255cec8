// What planning came to: a plan with its proof, a proof that there is none, or neither. An answer,
// not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

enum class Status { optimal, feasible, infeasible, no_plan };

// A bound that the request gave and that nothing met: a memory's bytes, or the step's seconds.
struct Shortage {
  std::string what;                  // a memory's name, or "deadline"
  bool in_bytes = true;              // else seconds
  double asked = 0;                  // the bound in force: the request's, or the memory's own size
  double lower_bound = 0;            // nothing below it can work: proved
  std::optional<double> found;       // the smallest that was found to work
  std::vector<std::string> tensors;  // what fills the memory where the bound is proved
  // Tensors (and a task's workspace, or all workspaces) that alone make it too small; without any
  // of them that is not proved. May be empty.
  std::vector<std::string> reason;
};

struct Outcome {
  Status status = Status::no_plan;
  std::optional<Schedule> schedule;  // if optimal or feasible
  std::vector<Shortage> shortages;   // if infeasible or no_plan: what was too small
  bool interrupted = false;
  bool not_of_its_kind = false;  // none of the strategies asked takes such a problem
};

std::string to_string(Status status);

}  // namespace stint
