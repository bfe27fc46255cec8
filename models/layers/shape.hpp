// Shapes with a symbolic batch: every dimension is a number, or a number times the batch, so that a
// network's shapes are known before its batch is.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace stint {

// `count`, or `count` times the batch. At most one dimension of a shape depends on the batch.
struct Dimension {
  std::int64_t count = 1;
  bool per_sample = false;
  std::int64_t at(std::int64_t batch) const { return per_sample ? count * batch : count; }
  bool operator==(const Dimension&) const = default;
};
inline constexpr Dimension batch_dimension{1, true};

using Shape = std::vector<Dimension>;

enum class Element { f32, int32, uint8 };
std::int64_t bytes_of(Element element);
std::string to_string(Element element);

// Shapes that do not fit: what is wrong and what was expected. Whoever knows the layer turns it
// into an InputError that names it.
struct ShapeFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Beyond this many elements at batch 1 a shape is a mistake; products stay far from overflowing.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 40;

// All dimensions multiplied. Throws ShapeFault beyond `most_elements`, and if two of them depend on
// the batch.
Dimension product(const Shape& shape);

// Dimension `axis` from the front, or from the back if negative; throws ShapeFault if there is
// none.
std::size_t axis_of(std::int64_t axis, const Shape& shape);

// "batch", "4*batch", "64"; "batch×64×56×56".
std::string to_string(Dimension dimension);
std::string to_string(const Shape& shape);

}  // namespace stint
