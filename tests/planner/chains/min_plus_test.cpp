#include "planner/chains/min_plus.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

using namespace stint;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// g(q+1) = out(q) + q: it depends on the answer before, as in the recurrences.
std::vector<double> answers(const std::vector<double>& f) {
  OnlineMinPlus least(f);
  std::vector<double> out = {0};
  for (std::size_t q = 1; q <= f.size(); ++q) {
    out.push_back(least.next(out[q - 1] + static_cast<double>(q)));
  }
  return out;
}

std::vector<double> plain_answers(const std::vector<double>& f) {
  std::vector<double> out = {0};
  for (std::size_t q = 1; q <= f.size(); ++q) {
    double least = infinite;
    for (std::size_t j = 1; j <= q; ++j) {
      least = std::min(least, out[j - 1] + static_cast<double>(j) + f[q - j]);
    }
    out.push_back(least);
  }
  return out;
}

// Convex pieces of the given length, each steeper as it goes on.
std::vector<double> convex_pieces(std::uint64_t seed, int size, int piece) {
  std::mt19937_64 random(seed);
  std::vector<double> f = {static_cast<double>(random() % 50)};
  double slope = 0;
  for (int i = 1; i < size; ++i) {
    slope = i % piece == 0 ? 0 : slope + static_cast<double>(random() % 3);
    f.push_back(f.back() + slope);
  }
  return f;
}

}  // namespace

TEST_CASE("A convex function gives the minimum over all splits") {
  const auto seed = GENERATE(range(0, 20));
  const std::vector<double> f = convex_pieces(seed, 700, 700);
  CHECK(answers(f) == plain_answers(f));
}

TEST_CASE("A function of long and short convex pieces gives the minimum over all splits") {
  const auto seed = GENERATE(range(0, 10));
  const auto piece = GENERATE(1, 3, 40, 60, 260);
  const std::vector<double> f = convex_pieces(seed, 900, piece);
  CHECK(answers(f) == plain_answers(f));
}

TEST_CASE("Where a function is infinite, no split ends") {
  std::vector<double> f = convex_pieces(1, 800, 200);
  std::fill(f.begin() + 150, f.begin() + 420, infinite);
  f[600] = infinite;
  CHECK(answers(f) == plain_answers(f));
  std::fill(f.begin(), f.end(), infinite);
  f[3] = 5;
  CHECK(answers(f) == plain_answers(f));
}

TEST_CASE("The smallest of equally good splits is taken") {
  CHECK(best_split(5, [](std::int64_t j) { return j == 2 || j == 4 ? 1.0 : 2.0; }) == 2);
}
