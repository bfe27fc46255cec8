#include "planner/halving.hpp"

#include <algorithm>

namespace stint {

std::int64_t least_bytes(
    Halving range, const SearchOptions& options,
    const std::function<std::optional<std::int64_t>(std::int64_t)>& arena_within) {
  for (int i = 0; i < range.tries && !options.is_interrupted(); ++i) {
    const std::int64_t between = range.fits - range.too_small;
    const double close = range.close_share * static_cast<double>(range.fits);
    if (between <= 1 || static_cast<double>(between) <= close) break;
    const std::int64_t bytes = range.too_small + between / 2;
    if (const auto arena = arena_within(bytes))
      range.fits = std::min(bytes, *arena);
    else
      range.too_small = bytes;
  }
  return range.fits;
}

}  // namespace stint
