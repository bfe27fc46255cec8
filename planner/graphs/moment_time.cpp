#include "planner/graphs/moment_time.hpp"

#include <cstdint>

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

void require_links(MomentModel& m, VariableId longer) {
  if (m.problem.link_time->is_one_channel) {
    auto& out = m.copies_out.terms;
    out.insert(out.end(), m.copies_back.terms.begin(), m.copies_back.terms.end());
    m.copies_back.terms.clear();
  }
  for (LinearSum* copies : {&m.copies_out, &m.copies_back}) {
    copies->add(longer, -1);
    m.model.add_linear(*copies, INT64_MIN / 2, m.problem.link_time->price);
  }
}

}  // namespace

// Every bound on the time of the step holds, so the longest does.
void require_time(MomentModel& m) {
  if (m.problem.spare_times.empty()) return;
  std::int64_t most = 0;
  for (const auto& [k, task] : m.again) most += m.problem.time_costs[task];
  for (const LinearSum* copies : {&m.copies_out, &m.copies_back})
    for (const auto& [move, time] : copies->terms) most += time;
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
