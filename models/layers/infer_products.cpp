// Layers that multiply matrices, and tables of rows.
#include <fmt/format.h>

#include <algorithm>

#include "models/layers/infer_kinds.hpp"

namespace stint {
namespace {

void expect_rank_of_at_least(std::size_t rank, const Shape& shape) {
  if (shape.size() < rank)
    throw ShapeFault(
        fmt::format("an input is {}; expected at least {} dimensions", to_string(shape), rank));
}

// One sequence of vectors per sample.
struct Sequence {
  Dimension samples;
  std::int64_t length = 0;
  std::int64_t width = 0;
};

Sequence sequence_of(const Shape& shape) {
  if (shape.size() != 3)
    throw ShapeFault(
        fmt::format("an input is {}; expected [batch, sequence, width]", to_string(shape)));
  return {shape[0], fixed(shape, 1), fixed(shape, 2)};
}

void expect_heads(std::int64_t width, std::int64_t heads) {
  if (width % heads != 0)
    throw ShapeFault(fmt::format("{} heads of width {}; expected a divisor", heads, width));
}

}  // namespace

LayerOutcome infer_kind(const Linear& layer, const InputShapes& inputs) {
  expect_positive("features", layer.features);
  expect_rank_of_at_least(2, inputs[0]);
  Shape output = inputs[0];
  const std::int64_t width = fixed(output, output.size() - 1);
  output.back() = {layer.features};
  std::vector<Parameter> parameters;
  if (layer.weight_of.empty())
    parameters.push_back({"weight", {layer.features, width}, Initial::kaiming_uniform, width});
  if (layer.bias) parameters.push_back({"bias", {layer.features}, Initial::kaiming_uniform, width});
  return {{output}, parameters};
}

LayerOutcome infer_kind(const Matmul& layer, const InputShapes& inputs) {
  Shape a = inputs[0];
  Shape b = inputs[1];
  expect_rank_of_at_least(2, a);
  expect_rank_of_at_least(2, b);
  const auto fault = [&] {
    return ShapeFault(
        fmt::format("{} times {}; expected matrices that can be multiplied, and equal "
                    "dimensions before them",
                    to_string(inputs[0]), to_string(inputs[1])));
  };
  if (a.size() != b.size()) throw fault();
  const std::size_t rows = a.size() - 2;
  if (layer.transpose_a) std::swap(a[rows], a[rows + 1]);
  if (layer.transpose_b) std::swap(b[rows], b[rows + 1]);
  if (a[rows + 1] != b[rows] || !std::equal(a.begin(), a.begin() + rows, b.begin())) throw fault();
  fixed(a, rows + 1);  // a sum over samples would mix them
  a[rows + 1] = b[rows + 1];
  return {{a}, {}};
}

LayerOutcome infer_kind(const Attention& layer, const InputShapes& inputs) {
  expect_positive("heads", layer.heads);
  const Sequence q = sequence_of(inputs[0]);
  const Sequence k = sequence_of(inputs[1]);
  const Sequence v = sequence_of(inputs[2]);
  if (q.width != k.width || k.length != v.length || q.samples != k.samples ||
      q.samples != v.samples)
    throw ShapeFault(
        fmt::format("queries {}, keys {}, values {}; expected queries as wide as keys, "
                    "and as many keys as values",
                    to_string(inputs[0]), to_string(inputs[1]), to_string(inputs[2])));
  expect_heads(q.width, layer.heads);
  expect_heads(v.width, layer.heads);
  return {{{q.samples, {q.length}, {v.width}}}, {}};
}

LayerOutcome infer_kind(const Embedding& layer, const InputShapes& inputs) {
  expect_positive("entries", layer.entries);
  expect_positive("width", layer.width);
  Shape output = inputs[0];
  output.push_back({layer.width});
  return {{output}, {{"weight", {layer.entries, layer.width}, Initial::normal}}};
}

}  // namespace stint
