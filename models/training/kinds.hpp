// What each kind of layer adds to a training step: forward operations, and backward operations
// given the gradients of its outputs. Views add none: see is_view.
#pragma once

#include "models/training/builder.hpp"

namespace stint {

void forward(const Conv2d& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Conv2d& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const ConvTranspose2d& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const ConvTranspose2d& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const MaxPool2d& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const MaxPool2d& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const AvgPool2d& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const AvgPool2d& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const GlobalAvgPool& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const GlobalAvgPool& layer, const AppliedLayer& at, TrainingBuilder& builder);

void forward(const Linear& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Linear& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Matmul& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Matmul& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Attention& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Attention& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Embedding& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Embedding& layer, const AppliedLayer& at, TrainingBuilder& builder);

void forward(const BatchNorm& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const BatchNorm& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const LayerNorm& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const LayerNorm& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const LocalResponseNorm& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const LocalResponseNorm& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Softmax& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Softmax& layer, const AppliedLayer& at, TrainingBuilder& builder);

void forward(const Relu& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Relu& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Gelu& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Gelu& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Sigmoid& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Sigmoid& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Tanh& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Tanh& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Affine& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Affine& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Dropout& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Dropout& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Bias& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Bias& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Scale& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Scale& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Add& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Add& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Mul& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Mul& layer, const AppliedLayer& at, TrainingBuilder& builder);

void forward(const Concat& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Concat& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Split& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Split& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Transpose& layer, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Transpose& layer, const AppliedLayer& at, TrainingBuilder& builder);
void forward(const Reorder& reorder, AppliedLayer& at, TrainingBuilder& builder);
void backward(const Reorder& reorder, const AppliedLayer& at, TrainingBuilder& builder);

// Always views.
inline void forward(const Reshape&, AppliedLayer&, TrainingBuilder&) {}
inline void backward(const Reshape&, const AppliedLayer&, TrainingBuilder&) {}
inline void forward(const Flatten&, AppliedLayer&, TrainingBuilder&) {}
inline void backward(const Flatten&, const AppliedLayer&, TrainingBuilder&) {}

// Whether the layer's output is its input's bytes in another shape.
bool is_view(const LayerKind& kind, const std::vector<Shape>& inputs);

// How a layer wants its images: as the step's layout says, in listed order, or as its first input
// is.
enum class WantedOrder { layout, listed, as_first };
WantedOrder wanted_order(const LayerKind& kind);

// An operation of the layer, "conv1.forward" of op "conv2d.forward", to be filled in.
Operation operation_of(const AppliedLayer& at, const std::string& what, Phase phase);

// Forward and backward of a layer that works element by element, `flops` each: what it reads, and
// one output that may take the place of the last of them.
void emit_elements(Operation operation, std::vector<ValueId> reads, ValueId output,
                   std::int64_t flops, TrainingBuilder& builder);

// The forward operation of a layer that reads its first input and its parameters; a second one is a
// bias, which is added to every output.
void emit_forward(const AppliedLayer& at, Effort effort, TrainingBuilder& builder);

// The backward operations of a layer that multiplies by a weight, its first parameter, and may add
// a bias, its second: gradients of weights and of data.
void emit_weighted_backward(const AppliedLayer& at, Effort data, Effort weights,
                            TrainingBuilder& builder);

}  // namespace stint
