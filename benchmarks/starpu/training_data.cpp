#include "benchmarks/starpu/training_data.hpp"

#include <algorithm>
#include <cstring>

#include "executor/data/generated_samples.hpp"

namespace stint {

OneBatch::OneBatch(const Network& network, std::int64_t batch) : batch_(batch) {
  const std::vector<SampleInput> inputs = sample_inputs(network);
  const GeneratedSamples samples(inputs, 0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t bytes = inputs[i].sample_bytes() * (inputs[i].has_samples ? batch : 1);
    inputs_.emplace_back(static_cast<std::size_t>(bytes));
    samples.read(SampleSet::training, i, 0, inputs_.back());
  }
}

void OneBatch::read(SampleSet, std::size_t input, std::int64_t sample,
                    std::span<std::byte> bytes) const {
  const std::vector<std::byte>& all = inputs_[input];
  const auto at = static_cast<std::int64_t>(all.size()) / batch_ * (sample % batch_);
  const std::size_t first = std::min(bytes.size(), all.size() - static_cast<std::size_t>(at));
  std::memcpy(bytes.data(), all.data() + at, first);
  if (first < bytes.size()) std::memcpy(bytes.data() + first, all.data(), bytes.size() - first);
}

}  // namespace stint
