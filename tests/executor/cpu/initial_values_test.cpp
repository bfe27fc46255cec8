#include "executor/cpu/initial_values.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace stint;

namespace {

std::vector<float> first_values(const Parameter& parameter, std::int64_t seed = 0,
                                std::int64_t first = 0, std::size_t count = 2000) {
  std::vector<float> values(count);
  fill_initial(parameter, seed, first, values);
  return values;
}

}  // namespace

TEST_CASE("weights begin uniform within one over the root of their fan", "[initial_values]") {
  const auto values = first_values({"w", {2000}, Initial::kaiming_uniform, 25});
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  CHECK(*least >= -0.2F);
  CHECK(*greatest <= 0.2F);
  CHECK(*least < -0.19F);
  CHECK(*greatest > 0.19F);
}

TEST_CASE("embeddings begin normal, norms with ones and zeros", "[initial_values]") {
  double squares = 0;
  for (const float value : first_values({"w", {2000}, Initial::normal})) squares += value * value;
  CHECK(std::sqrt(squares / 2000) == Approx(0.02).epsilon(0.1));
  CHECK(first_values({"w", {2000}, Initial::ones}) == std::vector<float>(2000, 1));
  CHECK(first_values({"w", {2000}, Initial::zeros}) == std::vector<float>(2000, 0));
}

TEST_CASE("first values follow from seed, name and position alone", "[initial_values]") {
  const Parameter weight{"w", {2000}, Initial::kaiming_uniform, 25};
  const auto all = first_values(weight);
  const auto part = first_values(weight, 0, 500, 10);
  CHECK(std::equal(part.begin(), part.end(), all.begin() + 500));
  CHECK(all != first_values(weight, 1));
  CHECK(all != first_values({"v", {2000}, Initial::kaiming_uniform, 25}));
}
