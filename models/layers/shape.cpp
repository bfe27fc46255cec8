#include "models/layers/shape.hpp"

#include <fmt/format.h>

namespace stint {

std::int64_t bytes_of(Element element) { return element == Element::uint8 ? 1 : 4; }

std::string to_string(Element element) {
  switch (element) {
    case Element::f32:
      return "f32";
    case Element::int32:
      return "int32";
    case Element::uint8:
      return "uint8";
  }
  return "";
}

Dimension product(const Shape& shape) {
  Dimension all;
  for (const Dimension dimension : shape) {
    if (dimension.count > 0 && all.count > most_elements / dimension.count)
      throw ShapeFault(fmt::format("{} is too large; expected at most 2^40 elements a sample",
                                   to_string(shape)));
    if (dimension.per_sample && all.per_sample)
      throw ShapeFault(fmt::format("{} has two dimensions that depend on the batch; expected one",
                                   to_string(shape)));
    all.count *= dimension.count;
    all.per_sample |= dimension.per_sample;
  }
  return all;
}

std::size_t axis_of(std::int64_t axis, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank)
    throw ShapeFault(fmt::format("axis {} of {}; expected one of its {} dimensions", axis,
                                 to_string(shape), rank));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::string to_string(Dimension dimension) {
  if (!dimension.per_sample) return std::to_string(dimension.count);
  return dimension.count == 1 ? "batch" : fmt::format("{}*batch", dimension.count);
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const Dimension dimension : shape) {
    text += (text.empty() ? "" : "×") + to_string(dimension);
  }
  return text.empty() ? "a single number" : text;
}

}  // namespace stint
