// Who goes to which of two sides, for the least cost: each node costs something on either side, and
// what crosses from one to the other costs something too. A cut of least capacity (Stone, 1977,
// "Multiprocessor scheduling with the aid of network flow algorithms"); what several nodes of one
// side want from the other is paid for once by a node of its own.
//
// It knows nothing of time or of memory: those enter as prices (cut_bound.hpp). Capacities are
// whole numbers, rounded down, so the value is a bound. Graphs of thousands of tasks take tens of
// milliseconds.
#pragma once

#include <array>
#include <vector>

namespace stint {

// Something that one node has and others want. Paid, for a side s, if `from` is on s and, `once`,
// any of `to` is on the other, and, `each`, that one is.
struct SideCrossing {
  int from = 0;
  std::vector<int> to;
  std::array<double, 2> once{};
  std::array<std::vector<double>, 2> each;  // by place in `to`; may be empty
};

struct TwoSides {
  std::vector<std::array<double, 2>> cost;  // by node; infinite: cannot be there
  std::vector<SideCrossing> crossings;
};

struct SideChoice {
  double least = 0;        // no choice costs less
  std::vector<char> side;  // by node
};

// Every node can be on one side at least.
SideChoice cheapest_sides(const TwoSides& problem);

}  // namespace stint
