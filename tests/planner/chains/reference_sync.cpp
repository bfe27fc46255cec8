#include "tests/planner/chains/reference_sync.hpp"

#include "tests/planner/chains/number_table.hpp"

namespace stint {

std::vector<ReferenceSync> reference_sync_cases() {
  std::vector<ReferenceSync> cases;
  for (const NumberRow& row : read_number_table("h_revolve.txt")) {
    const auto cost = [&](std::size_t i) { return static_cast<double>(row[i].value()); };
    ReferenceSync reference;
    reference.number = static_cast<int>(cases.size());
    reference.problem = {*row[1], cost(2), cost(3), {}};
    reference.h_revolve = cost(4);
    if (row[5]) reference.exact = cost(5);
    reference.monotone = row[6] == 1;
    for (std::size_t i = 7; i + 2 < row.size(); i += 3) {
      reference.problem.levels.push_back({*row[i], cost(i + 1), cost(i + 2)});
    }
    cases.push_back(reference);
  }
  return cases;
}

}  // namespace stint
