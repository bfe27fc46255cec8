// Shapes with a symbolic batch: every dimension is a number, or a number times the batch, so that a
// network's shapes are known before its batch is.
#pragma once

#include <cstdint>
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

// All dimensions multiplied. Throws InputError("", …) beyond 2^62 at batch 1.
Dimension elements(const Shape& shape);

// "batch", "4*batch", "64"; "batch×64×56×56".
std::string to_string(Dimension dimension);
std::string to_string(const Shape& shape);

}  // namespace stint
