#include "executor/data/generated_samples.hpp"

#include <algorithm>
#include <cstring>

#include "executor/data/random_numbers.hpp"

namespace stint {
namespace {

// Keys of different kinds never meet.
enum KeyKind : std::int64_t {
  training_samples,
  held_out_samples,
  patterns,
  noise,
  classes,
  strides
};

std::int64_t number_below(std::int64_t range, std::uint64_t key) {
  return static_cast<std::int64_t>(mix(key) % static_cast<std::uint64_t>(range));
}

// Patterns of images are patches of 4 × 4 pixels, which survive convolutions and pooling: rows of
// all channels, and in them runs of pixels of one patch. Of what is no image, every element is one.
struct Patches {
  std::int64_t width = 1;
  std::int64_t height = 1;
  std::int64_t side = 1;
  // The first patch of a row.
  std::int64_t first(std::int64_t row) const {
    return (row / height * height + row % height / side) * width;
  }
};
Patches patches_of(const SampleInput& input) {
  if (input.shape.size() != 3) return {};
  return {.width = input.shape[2], .height = input.shape[1], .side = 4};
}

template <typename Element>
void put(std::span<std::byte> bytes, std::int64_t element, Element value) {
  std::memcpy(bytes.data() + element * static_cast<std::int64_t>(sizeof(Element)), &value,
              sizeof(Element));
}

}  // namespace

GeneratedSamples::GeneratedSamples(std::vector<SampleInput> inputs, std::int64_t seed)
    : inputs_(std::move(inputs)), key_(derive(0, seed)) {
  for (const SampleInput& input : inputs_) {
    if (input.is_label && input.range > 0) classes_ = input.range;
  }
}

void GeneratedSamples::read(SampleSet set, std::size_t index, std::int64_t sample,
                            std::span<std::byte> bytes) const {
  const SampleInput& input = inputs_[index];
  const auto size = static_cast<std::size_t>(input.sample_bytes());
  const auto all = derive(key_, set == SampleSet::training ? training_samples : held_out_samples);
  const auto patterns_of_input = derive(derive(key_, patterns), input.name);
  for (; bytes.size() >= size && size > 0; bytes = bytes.subspan(size), ++sample) {
    const std::uint64_t key = derive(all, sample);
    const std::int64_t its_class = number_below(classes_, derive(key, classes));
    if (input.type == Element::f32)
      make_numbers(input, derive(patterns_of_input, its_class), key, bytes.first(size));
    else
      make_integers(input, key, bytes.first(size));
  }
}

// Targets of a regression have no noise.
void GeneratedSamples::make_numbers(const SampleInput& input, std::uint64_t pattern,
                                    std::uint64_t sample, std::span<std::byte> bytes) const {
  constexpr double half = 0.70710678118654752;  // of the variance each
  const std::uint64_t own = derive(derive(sample, noise), input.name);
  const Patches patches = patches_of(input);
  for (std::int64_t begin = 0; begin < input.elements; begin += patches.width) {
    const std::int64_t first = patches.first(begin / patches.width);
    for (std::int64_t column = 0; column < patches.width; column += patches.side) {
      const double shared = normal_at(pattern, first + column / patches.side);
      const std::int64_t end = begin + std::min(column + patches.side, patches.width);
      for (std::int64_t i = begin + column; i < end; ++i) {
        const double disturbed = input.is_label ? 0 : normal_at(own, i);
        put(bytes, i, static_cast<float>(half * (shared + disturbed)));
      }
    }
  }
}

void GeneratedSamples::make_integers(const SampleInput& input, std::uint64_t sample,
                                     std::span<std::byte> bytes) const {
  constexpr std::int64_t most_strides = 3;
  const std::int64_t first = number_below(classes_, derive(sample, classes));
  const std::int64_t stride = 1 + number_below(most_strides, derive(sample, strides));
  const bool next = input.is_label && input.elements > 1;
  for (std::int64_t i = 0; i < input.elements; ++i) {
    const std::int64_t value = (first + (i + (next ? 1 : 0)) * stride) % input.range;
    if (input.type == Element::int32)
      put(bytes, i, static_cast<std::int32_t>(value));
    else
      put(bytes, i, static_cast<std::uint8_t>(value));
  }
}

}  // namespace stint
