#include "planner/addresses/ejection.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "tests/planner/addresses/packings.hpp"

using namespace stint;

namespace {

constexpr std::int64_t plenty = 200'000'000;

std::optional<std::vector<std::int64_t>> ejected(const std::vector<Item>& items,
                                                 std::int64_t capacity,
                                                 std::int64_t work = plenty) {
  const Spans spans = spans_of(items);
  const auto found = offsets_by_ejection(spans, capacity, {work});
  if (!found) return std::nullopt;
  std::vector<std::int64_t> offsets(items.size(), 0);
  for (std::size_t i = 0; i < found->size(); ++i) offsets[spans.item[i]] = (*found)[i];
  return offsets;
}

// What a training step keeps from its forward to its backward, and gradients in between.
std::vector<Item> training_step(std::uint64_t seed, int layers) {
  std::mt19937_64 random(seed);
  const auto bytes = [&] { return static_cast<std::int64_t>(1 + random() % 1000) * 64; };
  std::vector<Item> items;
  for (int i = 0; i < layers; ++i) {
    const int back = 2 * layers - i;
    if (random() % 3 == 0) items.push_back({bytes(), i, i + 1 + static_cast<int>(random() % 4)});
    items.push_back({bytes(), i, back});
    items.push_back({bytes(), back - 1, back + 1 + static_cast<int>(random() % 3)});
  }
  return items;
}

}  // namespace

TEST_CASE("a rectangle that was cut is put together with a little room", "[ejection]") {
  const std::uint64_t seed = GENERATE(1, 2, 3);
  const auto cuts = GENERATE(Cuts::straight, Cuts::around);
  CAPTURE(seed, cuts == Cuts::straight);
  constexpr std::int64_t whole = 1 << 20;
  const auto items = cut_rectangle(seed, 200, 800, whole, cuts);
  constexpr std::int64_t capacity = whole * 6 / 5;
  const auto offsets = ejected(items, capacity);
  REQUIRE(offsets);
  check_packing(items, *offsets, capacity);
}

TEST_CASE("a training step of a thousand items fits into 1.005 of its load", "[ejection]") {
  const std::uint64_t seed = GENERATE(range(1, 5));
  CAPTURE(seed);
  const auto items = training_step(seed, 450);
  const std::int64_t capacity = largest_load(items) * 201 / 200;
  const auto offsets = ejected(items, capacity);
  REQUIRE(offsets);
  check_packing(items, *offsets, capacity);
}

TEST_CASE("offsets are sums of sizes, whatever the memory", "[ejection]") {
  const auto items = training_step(7, 60);
  const std::int64_t odd = largest_load(items) / 64 * 65 + 33;
  const auto offsets = ejected(items, odd);
  REQUIRE(offsets);
  check_packing(items, *offsets, odd);
  for (const std::int64_t offset : *offsets) REQUIRE(offset % 64 == 0);
}

TEST_CASE("small sets get no offsets where there are none", "[ejection]") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const auto items = full_memory(seed, 9 + static_cast<int>(seed % 6), 12);
    const auto offsets = ejected(items, 12, 200'000);
    if (offsets) check_packing(items, *offsets, 12);
    if (offsets) REQUIRE(fits_by_trying(items, 12));
    found += offsets ? 1 : 0;
  }
  CHECK(found > 20);
}

TEST_CASE("the same items get the same offsets again, and too little work none", "[ejection]") {
  const auto items = training_step(11, 100);
  const std::int64_t capacity = largest_load(items) * 101 / 100;
  REQUIRE(ejected(items, capacity) == ejected(items, capacity));
  CHECK_FALSE(ejected(items, capacity, 10));
  CHECK_FALSE(ejected({{10, 0, 1}}, 9));
  CHECK(ejected({}, 9));
  CHECK(ejected({{0, 0, 1}}, 0));
}

TEST_CASE("whoever interrupts gets no offsets", "[ejection]") {
  const std::atomic<bool> interrupted = true;
  const Spans spans = spans_of(training_step(1, 10));
  CHECK_FALSE(offsets_by_ejection(spans, INT64_C(1) << 40, {plenty, &interrupted}));
}
