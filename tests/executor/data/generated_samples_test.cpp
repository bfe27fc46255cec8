#include "executor/data/generated_samples.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/executor/cpu/trainings.hpp"

using namespace stint;

namespace {

template <typename Value>
std::vector<Value> read(const SampleSource& source, std::size_t input, std::int64_t sample,
                        std::size_t count, SampleSet set = SampleSet::training) {
  std::vector<Value> values(count);
  source.read(set, input, sample, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace

TEST_CASE("integers have the range of what reads them", "[data]") {
  const auto tokens = sample_inputs(small_transformer());
  CHECK(tokens[0].range == 16);
  CHECK(tokens[1].range == 16);
  CHECK(tokens[1].is_label);
  CHECK(tokens[0].elements == 12);
  const auto images = sample_inputs(bundled_network("lenet5"));
  CHECK(images[0].range == 0);
  CHECK(images[0].elements == 784);
  CHECK(images[1].range == 10);
  CHECK(sample_inputs(bundled_network("bert_base"))[1].range == 2);
}

TEST_CASE("a sample is the same wherever it is read, and all classes occur", "[data]") {
  const GeneratedSamples samples(sample_inputs(bundled_network("lenet5")), 3);
  const auto two = read<float>(samples, 0, 5, 2 * 784);
  const auto second = read<float>(samples, 0, 6, 784);
  CHECK(std::equal(second.begin(), second.end(), two.begin() + 784));
  const auto labels = read<std::int32_t>(samples, 1, 0, 1000);
  CHECK(std::set<std::int32_t>(labels.begin(), labels.end()).size() == 10);
  CHECK(*std::min_element(labels.begin(), labels.end()) == 0);
  CHECK(*std::max_element(labels.begin(), labels.end()) == 9);
  CHECK(labels != read<std::int32_t>(samples, 1, 0, 1000, SampleSet::held_out));
}

TEST_CASE("the label of a row of tokens is the row's next", "[data]") {
  const GeneratedSamples samples(sample_inputs(small_transformer()), 0);
  for (std::int64_t sample = 0; sample < 5; ++sample) {
    const auto tokens = read<std::int32_t>(samples, 0, sample, 12);
    const auto labels = read<std::int32_t>(samples, 1, sample, 12);
    CHECK(std::equal(labels.begin(), labels.end() - 1, tokens.begin() + 1));
  }
}

TEST_CASE("numbers have mean 0 and variance 1, nearly", "[data]") {
  const GeneratedSamples samples(sample_inputs(bundled_network("mlp")), 0);
  double sum = 0;
  double squares = 0;
  const auto values = read<float>(samples, 0, 0, 784 * 50);
  for (const float value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  CHECK(sum / count == Approx(0).margin(0.05));
  CHECK(squares / count == Approx(1).margin(0.1));
}
