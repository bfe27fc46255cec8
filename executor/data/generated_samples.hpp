// Samples without files, from which a small network can learn something: every sample has a class.
// Numbers are the class's own pattern and noise, a label is the class, and rows of integers count
// up by a stride that is the sample's own, their labels being the next of each.
#pragma once

#include <vector>

#include "executor/data/samples.hpp"

namespace stint {

class GeneratedSamples : public SampleSource {
 public:
  GeneratedSamples(std::vector<SampleInput> inputs, std::int64_t seed);

  std::optional<std::int64_t> count(SampleSet) const override { return std::nullopt; }
  void read(SampleSet set, std::size_t input, std::int64_t sample,
            std::span<std::byte> bytes) const override;

 private:
  void make_numbers(const SampleInput& input, std::uint64_t pattern, std::uint64_t sample,
                    std::span<std::byte> bytes) const;
  void make_integers(const SampleInput& input, std::uint64_t sample,
                     std::span<std::byte> bytes) const;

  std::vector<SampleInput> inputs_;
  std::uint64_t key_;
  std::int64_t classes_ = 10;
};

}  // namespace stint
