// Inference by kind of layer, for infer.cpp: each makes outputs and parameters, or throws
// ShapeFault. Counts and element types of inputs have been checked.
#pragma once

#include "models/layers/infer.hpp"

namespace stint {

struct LayerOutcome {
  std::vector<Shape> outputs;
  std::vector<Parameter> parameters;  // named "weight", "bias", …: the layer's name comes later
};

using InputShapes = std::vector<Shape>;

LayerOutcome infer_kind(const Conv2d& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const ConvTranspose2d& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const MaxPool2d& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const AvgPool2d& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const GlobalAvgPool& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const LocalResponseNorm& layer, const InputShapes& inputs);

LayerOutcome infer_kind(const Linear& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Matmul& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Attention& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Embedding& layer, const InputShapes& inputs);

LayerOutcome infer_kind(const Bias& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Scale& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const BatchNorm& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const LayerNorm& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Softmax& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Add& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Mul& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Affine& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Relu& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Gelu& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Sigmoid& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Tanh& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Dropout& layer, const InputShapes& inputs);

LayerOutcome infer_kind(const Concat& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Split& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Reshape& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Flatten& layer, const InputShapes& inputs);
LayerOutcome infer_kind(const Transpose& layer, const InputShapes& inputs);

// The dimension as a plain number; throws ShapeFault if it depends on the batch.
std::int64_t fixed(const Shape& shape, std::size_t axis);

// Throws ShapeFault unless the attribute, or both of them, are from 1 to most_elements.
void expect_positive(const char* attribute, std::int64_t value);
void expect_positive(const char* attribute, const Pair& values);

}  // namespace stint
