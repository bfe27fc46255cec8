#include "tests/planner/chains/random_sync.hpp"

#include <algorithm>

namespace stint {

SyncProblem RandomSync::problem(int longest, Hierarchy hierarchy, int most_slots) {
  SyncProblem problem;
  problem.length = number(0, longest);
  problem.forward_cost = number(1, 12);
  problem.backward_cost = number(0, 20);
  int left = 2 * most_slots;
  for (int levels = number(1, 3); levels > 0; --levels) {
    const int slots = number(0, std::min(left, most_slots));
    left -= slots;
    const SyncLevel before = problem.levels.empty() ? SyncLevel{} : problem.levels.back();
    SyncLevel level{slots, static_cast<double>(number(0, 40)), static_cast<double>(number(0, 40))};
    if (hierarchy == Hierarchy::monotone) {
      level.write_cost = before.write_cost + number(0, 15);
      level.read_cost = before.read_cost + number(0, 15);
    }
    problem.levels.push_back(level);
  }
  return problem;
}

}  // namespace stint
