// The course's chain, of any length: steps F0…F(n-1) forward with x(i+1) = Fi(xi), then Bn…B0 back,
// where Bi reads xi and the gradient g(i+1) and writes gi. Every task takes a second on a "cpu".
// With 5 steps it is models/chain5.json.
#pragma once

#include <cstdint>

#include "models/graph.hpp"

namespace stint {

Graph chain_graph(int steps, std::int64_t bytes = 1, std::int64_t gradient_bytes = 0);

}  // namespace stint
