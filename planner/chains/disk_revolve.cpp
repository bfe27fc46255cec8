#include "planner/chains/disk_revolve.hpp"

#include <algorithm>
#include <vector>

#include "planner/chains/min_plus.hpp"
#include "planner/chains/revolve.hpp"

namespace stint {

namespace {

constexpr int disk = 1;

struct Tables {
  std::vector<double> in_memory;  // o0
  std::vector<double> on_disk;    // o1, or o0 if one read is allowed
  std::vector<double> whole;      // opt
};

struct DiskRevolvePart {
  std::int64_t first = 0;
  std::int64_t length = 0;
  bool on_disk = false;  // x_first has to be read
};

RevolveProblem memory_problem(const DiskRevolveProblem& problem, std::int64_t length) {
  return {length, problem.slots, problem.forward_cost, problem.backward_cost};
}

// What it takes to get from x_0 to x_j now, and back to x_0 later.
double there_and_back(const DiskRevolveProblem& problem, std::int64_t j) {
  return static_cast<double>(j) * problem.forward_cost + problem.read_cost;
}

std::vector<double> on_disk_costs(const DiskRevolveProblem& problem,
                                  const std::vector<double>& o0) {
  std::vector<double> o1 = {o0[0]};
  OnlineMinPlus least(o0);
  for (std::int64_t q = 1; q <= problem.length; ++q) {
    o1.push_back(std::min(o0[q], least.next(there_and_back(problem, q) + o1[q - 1])));
  }
  return o1;
}

std::vector<double> whole_costs(const DiskRevolveProblem& problem, const Tables& tables) {
  std::vector<double> opt = {tables.in_memory[0]};
  std::vector<double> left;  // by j - 1
  for (std::int64_t j = 1; j <= problem.length; ++j) {
    left.push_back(problem.write_cost + there_and_back(problem, j) + tables.on_disk[j - 1]);
  }
  OnlineMinPlus least(left);
  for (std::int64_t q = 1; q <= problem.length; ++q) {
    opt.push_back(std::min(tables.in_memory[q], least.next(opt[q - 1])));
  }
  return opt;
}

Tables filled(const DiskRevolveProblem& problem) {
  Tables tables;
  tables.in_memory = revolve_costs(memory_problem(problem, problem.length));
  tables.on_disk = problem.one_read ? tables.in_memory : on_disk_costs(problem, tables.in_memory);
  tables.whole = whole_costs(problem, tables);
  return tables;
}

class DiskRevolvePlanner {
 public:
  explicit DiskRevolvePlanner(const DiskRevolveProblem& problem)
      : problem_(problem), tables_(filled(problem)) {}

  SyncPlan plan() {
    SyncPlan plan{tables_.whole.back(), problem_.one_read ? 0 : tables_.whole.back(), {}};
    std::vector<DiskRevolvePart> parts = {{0, problem_.length, false}};
    while (!parts.empty()) {
      const DiskRevolvePart part = parts.back();
      parts.pop_back();
      if (part.on_disk) {
        reverse_from_disk(part, plan.steps);
      } else if (tables_.whole[part.length] < tables_.in_memory[part.length]) {
        split(part, parts, plan.steps);
      } else {
        append_revolve(memory_problem(problem_, part.length), part.first, 0, plan.steps);
      }
    }
    return plan;
  }

 private:
  void split(const DiskRevolvePart& part, std::vector<DiskRevolvePart>& parts,
             std::vector<SyncStep>& steps) const {
    const std::int64_t j = best_split(part.length, [&](std::int64_t i) {
      return there_and_back(problem_, i) + tables_.whole[part.length - i] + tables_.on_disk[i - 1];
    });
    steps.push_back(write_step(disk, part.first));
    steps.push_back(forward_step(part.first, part.first + j));
    parts.push_back({part.first, j - 1, true});
    parts.push_back({part.first + j, part.length - j, false});
  }

  // Pieces from the end, each in memory alone, until the first one: x_first is then needed no more.
  void reverse_from_disk(const DiskRevolvePart& part, std::vector<SyncStep>& steps) const {
    std::int64_t q = part.length;
    steps.push_back(read_step(disk, part.first));
    while (tables_.on_disk[q] < tables_.in_memory[q]) {
      const std::int64_t j = best_split(q, [&](std::int64_t i) {
        return there_and_back(problem_, i) + tables_.in_memory[q - i] + tables_.on_disk[i - 1];
      });
      steps.push_back(forward_step(part.first, part.first + j));
      append_revolve(memory_problem(problem_, q - j), part.first + j, 0, steps);
      steps.push_back(read_step(disk, part.first));
      q = j - 1;
    }
    steps.push_back(discard_step(disk, part.first));
    append_revolve(memory_problem(problem_, q), part.first, 0, steps);
  }

  const DiskRevolveProblem& problem_;
  Tables tables_;
};

}  // namespace

SyncPlan solve_disk_revolve(const DiskRevolveProblem& problem) {
  return DiskRevolvePlanner(problem).plan();
}

}  // namespace stint
