#include "planner/graphs/moment_time.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stint {
namespace {

// Tasks that first run in one of several intervals are among those that run again, and need not be
// counted once.
std::int64_t floating_cost(const MomentModel& m, int since) {
  const FirstRuns& first = m.problem.first;
  std::int64_t cost = 0;
  for (std::size_t t = 0; t < m.graph.tasks.size(); ++t) {
    const bool floats = !m.is_idle(t) && first.earliest[t] < first.latest[t];
    if (floats && first.earliest[t] >= since) cost += m.problem.time_costs[t];
  }
  return cost;
}

// What lives elsewhere comes at least once before each of its users, so before the one after which
// most is to be done.
std::vector<TimedCopy> first_fetches(const MomentModel& m) {
  std::vector<TimedCopy> copies;
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const MovedState& state = m.problem.states[s];
    if (state.price.back_time == 0) continue;
    std::int64_t rest = 0;
    for (const TaskId user : state.users) rest = std::max(rest, m.problem.link_time->rest[user]);
    copies.push_back({m.states[s].away, state.price.back_time, rest});
  }
  return copies;
}

void require_links(MomentModel& m, VariableId longer) {
  if (m.problem.link_time->is_one_channel) {
    m.copies_out.insert(m.copies_out.end(), m.copies_back.begin(), m.copies_back.end());
    m.copies_back.clear();
  }
  for (const auto& copies : {m.copies_out, m.copies_back, first_fetches(m)})
    fit_copies(copies, m.problem.link_time->price, longer, m.model);
}

}  // namespace

// Every bound on the time of the step holds, so the longest does.
void require_time(MomentModel& m) {
  if (m.problem.spare_times.empty()) return;
  std::int64_t most = 0;
  for (const auto& [k, task] : m.again) most += m.problem.time_costs[task];
  for (const auto* copies : {&m.copies_out, &m.copies_back}) {
    for (const TimedCopy& copy : *copies) most += copy.time + copy.begin;
  }
  const VariableId longer = m.model.add_variable(0, most);
  m.cost.add(longer, 1);
  for (const SpareTime& spare : m.problem.spare_times) {
    LinearSum busy;
    for (const auto& [k, task] : m.again) {
      if (k >= spare.since) busy.add(m.run[k][task].literal, m.problem.time_costs[task]);
    }
    busy.add(longer, -1);
    m.model.add_linear(busy, INT64_MIN / 2, spare.price + floating_cost(m, spare.since));
  }
  if (m.problem.link_time) require_links(m, longer);
}

}  // namespace stint
