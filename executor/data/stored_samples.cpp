#include "executor/data/stored_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "files/input_error.hpp"

namespace stint {
namespace {

template <typename Stored>
Stored stored_at(const std::string& bytes, std::int64_t element) {
  Stored value{};
  std::memcpy(&value, bytes.data() + element * static_cast<std::int64_t>(sizeof(Stored)),
              sizeof(Stored));
  return value;
}

// Calls visit(i, value) for elements first + i of the array, in the type that they are stored in.
template <typename Visit>
void for_each(const NpyArray& array, std::int64_t first, std::int64_t count, Visit visit) {
  const auto all = [&]<typename Stored>(Stored) {
    for (std::int64_t i = 0; i < count; ++i) visit(i, stored_at<Stored>(array.bytes, first + i));
  };
  switch (array.type) {
    case NpyType::f4:
      return all(float{});
    case NpyType::f8:
      return all(double{});
    case NpyType::u1:
      return all(std::uint8_t{});
    case NpyType::i4:
      return all(std::int32_t{});
    case NpyType::i8:
      return all(std::int64_t{});
  }
}

std::int64_t count_of(const StoredInput& stored) {
  return stored.array.shape.empty() ? 0 : stored.array.shape[0];
}

std::int64_t elements_of(const NpyArray& array) {
  return std::ssize(array.bytes) / bytes_of(array.type);
}

void expect_size(const StoredInput& stored, const SampleInput& input) {
  const std::int64_t count = count_of(stored);
  if (elements_of(stored.array) == count * input.elements) return;
  throw InputError(stored.file, fmt::format("samples of {} elements; expected {} for the input {}",
                                            count == 0 ? 0 : elements_of(stored.array) / count,
                                            input.elements, in_quotes(input.name)));
}

// A number outside of the range would be an address outside of a table.
void expect_range(const StoredInput& stored, const SampleInput& input) {
  if (input.type == Element::f32) return;
  const std::int64_t elements = elements_of(stored.array);
  for_each(stored.array, 0, elements, [&](std::int64_t i, auto value) {
    const auto number = static_cast<double>(value);
    if (number >= 0 && number < static_cast<double>(input.range) && number == std::floor(number))
      return;
    throw InputError(
        stored.file,
        fmt::format("{} in sample {}; expected whole numbers from 0 to {} "
                    "for the input {}",
                    number, i / input.elements, input.range - 1, in_quotes(input.name)));
  });
}

template <typename Element, typename Value>
void put_converted(std::span<std::byte> bytes, std::int64_t element, Value value) {
  const auto converted = static_cast<Element>(value);
  std::memcpy(bytes.data() + element * static_cast<std::int64_t>(sizeof(Element)), &converted,
              sizeof(Element));
}

void convert(const StoredInput& stored, const SampleInput& input, std::int64_t sample,
             std::span<std::byte> bytes) {
  for_each(stored.array, sample * input.elements, input.elements, [&](std::int64_t i, auto value) {
    switch (input.type) {
      case Element::f32:
        return put_converted<float>(bytes, i,
                                    static_cast<float>(value) * stored.factor + stored.offset);
      case Element::int32:
        return put_converted<std::int32_t>(bytes, i, value);
      case Element::uint8:
        return put_converted<std::uint8_t>(bytes, i, value);
    }
  });
}

}  // namespace

StoredSamples::StoredSamples(std::vector<SampleInput> inputs, std::int64_t batch,
                             StoredSet training, std::optional<StoredSet> held_out)
    : inputs_(std::move(inputs)) {
  sets_[SampleSet::training] = std::move(training);
  if (held_out) sets_[SampleSet::held_out] = std::move(*held_out);
  for (const auto& [which, set] : sets_) {
    if (which == SampleSet::training)
      check(set, batch, "a batch");
    else
      check(set, 1, "to judge the network by");
  }
}

void StoredSamples::check(const StoredSet& set, std::int64_t least, const std::string& what) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::int64_t count = count_of(set[i]);
    if (count < (inputs_[i].has_samples ? least : 1))
      throw InputError(set[i].file,
                       fmt::format("{} samples; expected at least {}, {}", count, least, what));
    if (inputs_[i].has_samples && count != count_of(set[0]))
      throw InputError(set[i].file, fmt::format("{} samples; expected {}, as in {}", count,
                                                count_of(set[0]), set[0].file));
    expect_size(set[i], inputs_[i]);
    expect_range(set[i], inputs_[i]);
  }
}

std::optional<std::int64_t> StoredSamples::count(SampleSet set) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const StoredSet& stored = sets_.at(set);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].has_samples) least = std::min(least, count_of(stored[i]));
  }
  return least;
}

void StoredSamples::read(SampleSet set, std::size_t index, std::int64_t sample,
                         std::span<std::byte> bytes) const {
  const SampleInput& input = inputs_[index];
  const StoredInput& stored = sets_.at(set)[index];
  const auto size = static_cast<std::size_t>(input.sample_bytes());
  for (; bytes.size() >= size; bytes = bytes.subspan(size), ++sample)
    convert(stored, input, sample % count_of(stored), bytes.first(size));
}

}  // namespace stint
