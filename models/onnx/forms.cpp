#include "models/onnx/forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/layers/infer.hpp"

namespace stint {
namespace {

Shape inferred(const LayerKind& kind, const Shape& input) {
  return infer(Layer{.kind = kind}, {{input}}).outputs.at(0).shape;
}

bool depends_on_batch(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](Dimension d) { return d.per_sample; });
}

Shape with_zeros_filled(const Shape& input, Shape asked) {
  for (std::size_t i = 0; i < std::min(asked.size(), input.size()); ++i) {
    if (asked[i].count == 0) asked[i] = input[i];
  }
  return asked;
}

Shape at_batch(Shape shape, std::int64_t batch) {
  for (Dimension& dimension : shape) dimension = {dimension.at(batch)};
  return shape;
}

// What comes before the dimension that depends on the batch.
std::int64_t count_before_batch(const Shape& input) {
  std::int64_t count = 1;
  for (const Dimension dimension : input) {
    if (dimension.per_sample) break;
    count *= dimension.count;
  }
  return count;
}

// The dimension of `fixed` that has as many elements before it as the batch has in the input.
Shape with_batch(Shape fixed, const Shape& input, std::int64_t batch) {
  const std::int64_t wanted = count_before_batch(input);
  std::int64_t before = 1;
  for (Dimension& dimension : fixed) {
    if (before == wanted && dimension.count % batch == 0) {
      dimension = {dimension.count / batch, true};
      return fixed;
    }
    before *= dimension.count;
  }
  throw ShapeFault(
      fmt::format("{} becomes {}, where the batch has no dimension; expected it to "
                  "keep one",
                  to_string(input), to_string(fixed)));
}

std::set<std::size_t> axes_of(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::set<std::size_t> all;
  for (const std::int64_t axis : axes) all.insert(axis_of(axis, Shape(rank)));
  if (all.size() != axes.size()) throw ShapeFault("an axis twice; expected each once");
  return all;
}

}  // namespace

Shape shape_of(const std::vector<std::int64_t>& dims) {
  Shape shape;
  for (const std::int64_t count : dims) shape.push_back({count});
  return shape;
}

std::vector<std::int64_t> dims_of(const Shape& shape) {
  std::vector<std::int64_t> dims;
  for (const Dimension dimension : shape) {
    if (dimension.per_sample)
      throw ShapeFault(to_string(shape) + " depends on the batch; expected a fixed shape");
    dims.push_back(dimension.count);
  }
  return dims;
}

Shape reshaped(const Shape& input, const Shape& asked, std::optional<std::int64_t> file_batch) {
  if (product(input).count == 0) throw ShapeFault("nothing to reshape; expected some elements");
  const Shape wanted = with_zeros_filled(input, asked);
  if (!file_batch || !depends_on_batch(input) || depends_on_batch(wanted))
    return inferred(Reshape{wanted}, input);
  const Shape fixed = inferred(Reshape{wanted}, at_batch(input, *file_batch));
  return inferred(Reshape{with_batch(fixed, input, *file_batch)}, input);
}

Shape unsqueezed(const Shape& input, const std::vector<std::int64_t>& axes) {
  const auto ones = axes_of(axes, input.size() + axes.size());
  Shape output;
  auto next = input.begin();
  for (std::size_t i = 0; i < input.size() + axes.size(); ++i) {
    output.push_back(ones.contains(i) ? Dimension{1} : *next++);
  }
  return output;
}

Shape squeezed(const Shape& input, const std::vector<std::int64_t>& axes) {
  const auto asked = axes_of(axes, input.size());
  Shape output;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool is_one = input[i] == Dimension{1};
    if (asked.contains(i) && !is_one)
      throw ShapeFault(
          fmt::format("axis {} of {}; expected a dimension of 1", i, to_string(input)));
    if (asked.contains(i) || (asked.empty() && is_one)) continue;
    output.push_back(input[i]);
  }
  return output;
}

Shape permuted(const Shape& input, const std::vector<std::int64_t>& order) {
  return inferred(Transpose{order}, input);
}

}  // namespace stint
