// How long a step takes at least where memory lets only some of its tasks run side by side.
//
// Of every task the execution that begins first counts. Tasks are jobs that share two resources,
// workers and bytes, and follow each other as results do: a project with limited resources
// (Pritsker, Watters, Wolfe 1969), whose shortest plan, or any lower bound of it, bounds every
// schedule. A result that is neither computed again nor moved away and back lies in memory from the
// start of the task that writes it to the end of the last that reads it; one that is costs at least
// the joules of that, and lies there while tasks run that use it. (Of bytes used by tasks of which
// w at most run at once, each is charged a w-th.) So what is brought back is decided with the order.
//
// CP-SAT solves it within a counted limit; the bound that it proves counts even where it does not
// get to the end. O(n² / 64) words for what comes before what.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

class Crowding {
 public:
  explicit Crowding(const Problem& problem);

  // Whether there can be tasks that memory keeps from running side by side.
  bool matters() const { return matters_; }

  // No schedule is shorter whose tasks take at least so many seconds; what bringing results back
  // costs counts as the seconds in which the watts would draw it, with 0 watts as nothing. What the
  // solver says is not proved otherwise: a bound above a plan is none.
  double least_seconds(const std::vector<double>& task_seconds, double watts) const;

 private:
  const Problem& problem_;
  MemoryId memory_{0};
  bool matters_ = false;
};

}  // namespace stint
