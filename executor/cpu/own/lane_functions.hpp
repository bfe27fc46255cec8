// exp, tanh and erf of lanes, to about two units in the last place: polynomials, chosen so that the
// largest relative error is least on their interval. Libraries compute them one by one, or in
// another way for the last elements of an array; here every lane gets the same operations.
#pragma once

#include <bit>
#include <limits>

#include "executor/cpu/own/lanes.hpp"

namespace stint {

// c[0] + c[1] x + c[2] x² + …
template <std::size_t N>
Lanes polynomial(const float (&c)[N], Lanes x) {
  Lanes value = splat(c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) value = fused(value, x, splat(c[i]));
  return value;
}

// exp(x) = 2ⁿ exp(r), |r| ≤ ln 2 / 2. Zero where the result would be hardly above the subnormal.
inline Lanes exponential(Lanes x) {
  constexpr float largest = 88.72283F, smallest = -86.64339F;
  constexpr float round = 12582912.0F;  // 1.5 · 2²³: adding it leaves no fraction
  constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
  constexpr float tail[] = {0.50000001F, 0.166665129F, 0.0416661873F, 0.00836959841F,
                            0.00139517173F};
  const Lanes inside = x > largest ? splat(largest) : x < smallest ? splat(smallest) : x;
  const Lanes rounded = fused(inside, splat(1.44269504F), splat(round));
  const Lanes n = rounded - round;
  const Lanes r = fused(n, splat(-ln2_low), fused(n, splat(-ln2_high), inside));
  const Lanes mantissa = fused(r * r, polynomial(tail, r), r) + 1.0F;
  // Half of the power of two, which is a number even if the whole is not.
  const auto power = std::bit_cast<IntLanes>(rounded) - std::bit_cast<std::int32_t>(round);
  const Lanes value = (mantissa + mantissa) * std::bit_cast<Lanes>((power + 126) << 23);
  return x > largest    ? splat(std::numeric_limits<float>::infinity())
         : x < smallest ? Lanes{}
                        : value;
}

inline Lanes magnitude(Lanes x) {
  return std::bit_cast<Lanes>(std::bit_cast<IntLanes>(x) & 0x7fffffff);
}

inline Lanes hyperbolic_tangent(Lanes x) {
  constexpr float tail[] = {-0.333333309F, 0.133332098F,    -0.053947209F,
                            0.0217029943F, -0.00818274392F, 0.00214760346F};
  const Lanes square = x * x;
  const Lanes near = fused(x * square, polynomial(tail, square), x);
  const Lanes size = 1.0F - 2.0F / (exponential(2.0F * magnitude(x)) + 1.0F);
  const Lanes far = x < 0.0F ? -size : size;
  return magnitude(x) < 0.625F ? near : far;
}

// Beyond 1 by the logarithm of 1 − erf; beyond 4 it is 1.
inline Lanes error_function(Lanes x) {
  constexpr float close[] = {1.12837917F,    -0.376126271F,    0.112836002F,   -0.0268544446F,
                             0.00518953534F, -0.000802084128F, 7.88911955e-05F};
  constexpr float log_rest[] = {-0.00034151259F, -1.12708923F,   -0.638144758F,  -0.103106821F,
                                0.021838097F,    -0.0029476668F, 0.000186380084F};
  const Lanes size = magnitude(x) > 4.0F ? splat(4.0F) : magnitude(x);
  const Lanes near = x * polynomial(close, x * x);
  const Lanes rest = 1.0F - exponential(polynomial(log_rest, size));
  const Lanes far = x < 0.0F ? -rest : rest;
  return size < 1.0F ? near : far;
}

inline Lanes logistic(Lanes x) { return 1.0F / (1.0F + exponential(-x)); }

}  // namespace stint
