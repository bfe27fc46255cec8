#include "executor/data/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "files/input_error.hpp"
#include "models/layers/infer.hpp"

namespace stint {
namespace {

constexpr std::int64_t any_range = std::numeric_limits<std::int32_t>::max();

// The least range that any reader of a value has, found from the loss backwards.
class Ranges {
 public:
  explicit Ranges(const Network& network) {
    const NetworkTypes types = infer(network);
    if (const auto* loss = std::get_if<CrossEntropy>(&network.loss.kind)) {
      const Shape& scores = types.values.at(network.loss.inputs[0]).shape;
      narrow(network.loss.inputs[1], scores[axis_of(loss->axis, scores)].count);
    }
    for (auto layer = network.layers.rbegin(); layer != network.layers.rend(); ++layer) {
      if (const auto* embedding = std::get_if<Embedding>(&layer->kind)) {
        narrow(layer->inputs[0], embedding->entries);
        continue;
      }
      std::int64_t range = any_range;
      for (const std::string& output : output_names(*layer)) range = std::min(range, of(output));
      for (const std::string& input : layer->inputs) narrow(input, range);
    }
  }

  std::int64_t of(const std::string& value) const {
    const auto found = least_.find(value);
    return found == least_.end() ? any_range : found->second;
  }

 private:
  void narrow(const std::string& value, std::int64_t range) {
    least_[value] = std::min(of(value), range);
  }

  std::map<std::string, std::int64_t> least_;
};

}  // namespace

std::vector<SampleInput> sample_inputs(const Network& network) {
  const Ranges ranges(network);
  std::vector<SampleInput> inputs;
  for (const NetworkInput& input : network.inputs) {
    const Dimension elements = product(input.shape);
    SampleInput sample{.name = input.name, .type = input.type, .elements = elements.count};
    sample.has_samples = elements.per_sample;
    if (sample.has_samples && !input.shape[0].per_sample)
      throw InputError("/model/inputs",
                       fmt::format("{} is {}; expected the batch as its first dimension",
                                   in_quotes(input.name), to_string(input.shape)));
    for (const Dimension dimension : input.shape) {
      if (!(dimension == batch_dimension)) sample.shape.push_back(dimension.count);
    }
    sample.is_label = network.loss.inputs[1] == input.name;
    if (input.type != Element::f32) sample.range = ranges.of(input.name);
    inputs.push_back(std::move(sample));
  }
  return inputs;
}

}  // namespace stint
