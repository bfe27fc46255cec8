// Where a network's inputs come from: samples, numbered from 0 without end, of which a step takes
// the next batch. Which they are follows from the number of the step alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/layers/network.hpp"

namespace stint {

// An input as samples have it.
struct SampleInput {
  std::string name;
  Element type = Element::f32;
  std::int64_t elements = 0;        // of one sample
  std::vector<std::int64_t> shape;  // of one sample
  bool has_samples = true;          // else it is the same in every step
  bool is_label = false;            // what the loss compares the prediction with
  std::int64_t range = 0;           // of integers: they are in [0, range)
  std::int64_t sample_bytes() const { return elements * bytes_of(type); }
};

// In the network's order. Integers have the range of what reads them: classes of a loss, entries of
// an embedding. Throws InputError if samples would not lie side by side.
std::vector<SampleInput> sample_inputs(const Network& network);

enum class SampleSet { training, held_out };

class SampleSource {
 public:
  SampleSource() = default;
  virtual ~SampleSource() = default;
  SampleSource(const SampleSource&) = delete;
  SampleSource& operator=(const SampleSource&) = delete;

  // How many there are before the first follows again; nothing where they have no end.
  virtual std::optional<std::int64_t> count(SampleSet set) const = 0;

  // Fills `bytes` with whole samples of the input, from `sample` on. Allocates nothing.
  virtual void read(SampleSet set, std::size_t input, std::int64_t sample,
                    std::span<std::byte> bytes) const = 0;
};

}  // namespace stint
