#include "planner/halving.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

using namespace stint;

namespace {

// Asks for plans that take the bytes they are given, or a multiple of `step` below, from `least`
// on.
struct Asked {
  std::int64_t least = 0;
  std::int64_t step = 1;
  std::vector<std::int64_t> bytes = {};

  std::int64_t found(const Halving& range, const SearchOptions& options = {}) {
    return least_bytes(range, options, [&](std::int64_t within) -> std::optional<std::int64_t> {
      bytes.push_back(within);
      const std::int64_t arena = within - within % step;
      return arena >= least ? std::optional(arena) : std::nullopt;
    });
  }
};

}  // namespace

TEST_CASE("halving finds the least bytes that work, if it may try often enough", "[halving]") {
  const std::int64_t least = GENERATE(range(1, 101));
  CAPTURE(least);
  Asked asked{least};
  CHECK(asked.found({0, 100, 7}) == least);
  CHECK(asked.bytes.size() <= 7);
}

TEST_CASE("halving goes on from what a plan takes, not from what it was given", "[halving]") {
  Asked asked{20, 10};
  CHECK(asked.found({0, 100, 3}) == 20);
  CHECK(asked.bytes == std::vector<std::int64_t>{50, 25, 10});
}

TEST_CASE("halving tries no more often than it may", "[halving]") {
  Asked asked{1};
  CHECK(asked.found({0, 1024, 2}) == 256);
  CHECK(asked.found({0, 1024, 0}) == 1024);
  CHECK(asked.bytes.size() == 2);
}

TEST_CASE("halving ends where what is left is a small share of what was found", "[halving]") {
  Asked asked{1000};
  const std::int64_t found = asked.found({899, 1100, 100, 0.01});
  CHECK(found >= 1000);
  CHECK(found <= 1010);
  CHECK(asked.bytes.size() <= 5);
  Asked close{1000};
  CHECK(close.found({995, 1003, 100, 0.01}) == 1003);
  CHECK(close.bytes.empty());
}

TEST_CASE("halving that is interrupted keeps what it has", "[halving]") {
  const std::atomic<bool> interrupted{true};
  SearchOptions options;
  options.interrupted = &interrupted;
  Asked asked{1};
  CHECK(asked.found({0, 100, 7}, options) == 100);
  CHECK(asked.bytes.empty());
}
