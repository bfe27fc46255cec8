// Who goes to which of a few sides in a row, for the least cost: each node costs something on every
// side, and what crosses a border between two of them costs something too, at every border that it
// crosses. With two sides a cut of least capacity (Stone, 1977, "Multiprocessor scheduling with the
// aid of network flow algorithms"); with more, every node is a chain of as many nodes as there are
// borders, each of which says on which side of its border it is (Ishikawa, 2003, "Exact
// optimization for Markov random fields with convex priors"). What several nodes behind a border
// want from one before it is paid for once by a node of its own.
//
// It knows nothing of time or of memory: those enter as prices (cut_bound.hpp). Capacities are
// whole numbers, rounded down, so the value is a bound. Graphs of thousands of tasks take tens of
// milliseconds.
#pragma once

#include <array>
#include <vector>

namespace stint {

// Paid if `from` is before the border (0) or behind it (1) and, `once`, any of `to` is not, and,
// `each`, that one is not.
struct BorderCost {
  std::array<double, 2> once{};
  std::array<std::vector<double>, 2> each;  // by place in `to`; may be empty
};

// Something that one node has and others want.
struct SideCrossing {
  int from = 0;
  std::vector<int> to;
  std::vector<BorderCost> borders;  // all of the row
};

struct SideRow {
  int sides = 2;
  std::vector<std::vector<double>> cost;  // by node and side; infinite: cannot be there
  std::vector<SideCrossing> crossings;
};

struct SideChoice {
  double least = 0;        // no choice costs less
  std::vector<char> side;  // by node
};

// Every node can be on one side at least.
SideChoice cheapest_sides(const SideRow& row);

}  // namespace stint
