// Layers that put the same elements together in another way.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/layers/infer_kinds.hpp"

namespace stint {
namespace {

// The dimensions asked for, those that copy the input's filled in; one may still be -1.
Shape with_copies(const Shape& asked, const Shape& input) {
  Shape shape = asked;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].count != 0) continue;
    if (i >= input.size())
      throw ShapeFault(fmt::format(
          "dimension {} is 0, the input's, which has {}; expected a number", i, input.size()));
    shape[i] = input[i];
  }
  return shape;
}

ShapeFault reshape_fault(const Shape& asked, const Shape& input) {
  return ShapeFault(fmt::format("{} cannot become {}; expected as many elements", to_string(input),
                                to_string(asked)));
}

void check_asked(const Shape& asked) {
  const auto is_rest = [](Dimension d) { return d.count == -1; };
  const auto is_wrong = [](Dimension d) { return d.count < -1 || (d.count == -1 && d.per_sample); };
  if (std::any_of(asked.begin(), asked.end(), is_wrong) ||
      std::count_if(asked.begin(), asked.end(), is_rest) > 1)
    throw ShapeFault("expected a shape of positive dimensions, 0 for the input's, one -1 at most");
}

// What -1 stands for: what remains of `all` when the other dimensions are taken out.
Dimension rest_of(Dimension all, Dimension others, const Shape& asked, const Shape& input) {
  if (all.count % others.count != 0 || (others.per_sample && !all.per_sample))
    throw reshape_fault(asked, input);
  return {all.count / others.count, all.per_sample && !others.per_sample};
}

}  // namespace

LayerOutcome infer_kind(const Concat& layer, const InputShapes& inputs) {
  Shape output = inputs[0];
  const std::size_t axis = axis_of(layer.axis, output);
  std::int64_t total = 0;
  for (const Shape& input : inputs) {
    Shape other = input;
    if (other.size() == output.size()) {
      total += fixed(input, axis);
      other[axis] = output[axis];
    }
    if (other != output)
      throw ShapeFault(fmt::format("{} and {}; expected equal dimensions but for axis {}",
                                   to_string(inputs[0]), to_string(input), axis));
  }
  output[axis] = {total};
  return {{output}, {}};
}

LayerOutcome infer_kind(const Split& layer, const InputShapes& inputs) {
  const std::size_t axis = axis_of(layer.axis, inputs[0]);
  const std::int64_t whole = fixed(inputs[0], axis);
  std::int64_t rest = whole;
  LayerOutcome outcome;
  for (const std::int64_t size : layer.sizes) {
    if (size < 1 || size > rest) rest = -1;  // reported below
    if (rest < 0) break;
    rest -= size;
    outcome.outputs.push_back(inputs[0]);
    outcome.outputs.back()[axis] = {size};
  }
  if (rest != 0)
    throw ShapeFault(
        fmt::format("sizes {} of a dimension of {}; expected positive sizes that sum to it",
                    fmt::join(layer.sizes, ", "), whole));
  return outcome;
}

LayerOutcome infer_kind(const Reshape& layer, const InputShapes& inputs) {
  const Shape& input = inputs[0];
  check_asked(layer.shape);
  Shape shape = with_copies(layer.shape, input);
  const auto rest = std::find_if(shape.begin(), shape.end(), [](auto d) { return d.count == -1; });
  const Dimension all = product(input);
  if (rest != shape.end()) {
    *rest = Dimension{};
    *rest = rest_of(all, product(shape), layer.shape, input);
  }
  if (product(shape) != all) throw reshape_fault(layer.shape, input);
  return {{shape}, {}};
}

LayerOutcome infer_kind(const Flatten& layer, const InputShapes& inputs) {
  const Shape& input = inputs[0];
  const bool all_before = layer.axis == static_cast<std::int64_t>(input.size());
  const auto axis =
      static_cast<std::ptrdiff_t>(all_before ? input.size() : axis_of(layer.axis, input));
  return {{{product({input.begin(), input.begin() + axis}),
            product({input.begin() + axis, input.end()})}},
          {}};
}

LayerOutcome infer_kind(const Transpose& layer, const InputShapes& inputs) {
  std::vector<std::int64_t> sorted = layer.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> all(inputs[0].size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  if (sorted != all)
    throw ShapeFault(fmt::format("order {} of {} dimensions; expected each once",
                                 fmt::join(layer.order, ", "), all.size()));
  Shape output;
  for (const std::int64_t from : layer.order) output.push_back(inputs[0][from]);
  return {{output}, {}};
}

}  // namespace stint
