// Small counts made constants, for loops that a compiler is to unroll. Local to the file that
// includes it, like wide_lanes.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

namespace stint {
namespace {

// call(n as a constant), for n from 1 to most.
template <int most, typename Call>
void with_constant(std::int64_t n, const Call& call) {
  if constexpr (most > 1) {
    if (n < most) return with_constant<most - 1>(n, call);
  }
  call(std::integral_constant<int, most>());
}

}  // namespace
}  // namespace stint
