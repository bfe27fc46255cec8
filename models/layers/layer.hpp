// The kinds of layers a network may have: one struct each, its attributes as data. What a layer
// makes of shapes is in infer.hpp, what training does with it in models/training/.
//
// Activations are [batch, channels, height, width] or [batch, …, features], as logical shapes; how
// they lie in memory is for the lowering to say. Each struct lists its attributes once, in
// `fields`, for whoever reads, writes or compares them: `required` has no default in files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/layers/shape.hpp"

namespace stint {

using Pair = std::array<std::int64_t, 2>;     // height, width
using Padding = std::array<std::int64_t, 4>;  // top, left, bottom, right

// Weight [filters, channels / groups, kernel], bias [filters].
struct Conv2d {
  static constexpr std::string_view op = "conv2d";
  std::int64_t filters = 0;
  Pair kernel{};
  Pair stride{1, 1};
  Padding padding{};
  Pair dilation{1, 1};
  std::int64_t groups = 1;
  bool bias = true;
  bool operator==(const Conv2d&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("filters", self.filters);
    visit.required("kernel", self.kernel);
    visit.optional("stride", self.stride);
    visit.optional("padding", self.padding);
    visit.optional("dilation", self.dilation);
    visit.optional("groups", self.groups);
    visit.optional("bias", self.bias);
  }
};

// The transpose of a convolution. Weight [channels, filters / groups, kernel], bias [filters].
struct ConvTranspose2d {
  static constexpr std::string_view op = "conv_transpose2d";
  std::int64_t filters = 0;
  Pair kernel{};
  Pair stride{1, 1};
  Padding padding{};
  Pair output_padding{};
  Pair dilation{1, 1};
  std::int64_t groups = 1;
  bool bias = true;
  bool operator==(const ConvTranspose2d&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("filters", self.filters);
    visit.required("kernel", self.kernel);
    visit.optional("stride", self.stride);
    visit.optional("padding", self.padding);
    visit.optional("output_padding", self.output_padding);
    visit.optional("dilation", self.dilation);
    visit.optional("groups", self.groups);
    visit.optional("bias", self.bias);
  }
};

// y = x Wᵀ + b over the last dimension. Weight [features, inputs], bias [features].
struct Linear {
  static constexpr std::string_view op = "linear";
  std::int64_t features = 0;
  bool bias = true;
  std::string weight_of;  // a linear or embedding layer whose weight this one uses too; "": its own
  bool operator==(const Linear&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("features", self.features);
    visit.optional("bias", self.bias);
    visit.optional("weight_of", self.weight_of);
  }
};

// The product of two activations over their last two dimensions; those before are equal.
struct Matmul {
  static constexpr std::string_view op = "matmul";
  bool transpose_a = false;
  bool transpose_b = false;
  bool operator==(const Matmul&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("transpose_a", self.transpose_a);
    visit.optional("transpose_b", self.transpose_b);
  }
};

// Adds a learned tensor. Its shape is aligned with the last dimensions of the input and may have
// ones; by default one number per channel, [channels, 1, 1] of an image and [features] otherwise.
struct Bias {
  static constexpr std::string_view op = "bias";
  std::vector<std::int64_t> shape;
  bool operator==(const Bias&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("shape", self.shape);
  }
};

// Multiplies by a learned tensor, shaped as in Bias.
struct Scale {
  static constexpr std::string_view op = "scale";
  std::vector<std::int64_t> shape;
  bool operator==(const Scale&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("shape", self.shape);
  }
};

// y = factor x + offset, both fixed.
struct Affine {
  static constexpr std::string_view op = "affine";
  double factor = 1;
  double offset = 0;
  bool operator==(const Affine&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("factor", self.factor);
    visit.optional("offset", self.offset);
  }
};

// x between two bounds; below the lower one, slope · x if there is a slope.
struct Relu {
  static constexpr std::string_view op = "relu";
  std::optional<double> max;  // 6 for relu6
  double min = 0;
  double slope = 0;  // of leaky ones, which have no other bounds
  bool operator==(const Relu&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("max", self.max);
    visit.optional("min", self.min);
    visit.optional("slope", self.slope);
  }
};

struct Gelu {
  static constexpr std::string_view op = "gelu";
  bool tanh = false;  // the approximation by tanh; else the exact one by erf
  bool operator==(const Gelu&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("tanh", self.tanh);
  }
};

struct Sigmoid {
  static constexpr std::string_view op = "sigmoid";
  bool operator==(const Sigmoid&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self&, Visitor&) {}
};

struct Tanh {
  static constexpr std::string_view op = "tanh";
  bool operator==(const Tanh&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self&, Visitor&) {}
};

struct Softmax {
  static constexpr std::string_view op = "softmax";
  std::int64_t axis = -1;
  bool operator==(const Softmax&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("axis", self.axis);
  }
};

// The sum of two or more inputs of one shape; the second of just two may have ones, to broadcast.
struct Add {
  static constexpr std::string_view op = "add";
  bool operator==(const Add&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self&, Visitor&) {}
};

// The elementwise product of two inputs, the second as in Add.
struct Mul {
  static constexpr std::string_view op = "mul";
  bool operator==(const Mul&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self&, Visitor&) {}
};

struct Concat {
  static constexpr std::string_view op = "concat";
  std::int64_t axis = 1;
  bool operator==(const Concat&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("axis", self.axis);
  }
};

// One output per size; together they are the input.
struct Split {
  static constexpr std::string_view op = "split";
  std::vector<std::int64_t> sizes;
  std::int64_t axis = 1;
  bool operator==(const Split&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("sizes", self.sizes);
    visit.optional("axis", self.axis);
  }
};

// The same elements in row-major order. A count of 0 is the input's dimension at that place, one
// count may be -1: what remains.
struct Reshape {
  static constexpr std::string_view op = "reshape";
  Shape shape;
  bool operator==(const Reshape&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("shape", self.shape);
  }
};

// Two dimensions: those before the axis, and the rest.
struct Flatten {
  static constexpr std::string_view op = "flatten";
  std::int64_t axis = 1;
  bool operator==(const Flatten&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("axis", self.axis);
  }
};

// Dimension i of the output is dimension order[i] of the input.
struct Transpose {
  static constexpr std::string_view op = "transpose";
  std::vector<std::int64_t> order;
  bool operator==(const Transpose&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("order", self.order);
  }
};

// With `ceil`, a last window that begins inside the input or its top-left padding counts too.
struct MaxPool2d {
  static constexpr std::string_view op = "max_pool2d";
  Pair kernel{};
  Pair stride{};
  Padding padding{};
  Pair dilation{1, 1};
  bool ceil = false;
  bool operator==(const MaxPool2d&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("kernel", self.kernel);
    visit.required("stride", self.stride);
    visit.optional("padding", self.padding);
    visit.optional("dilation", self.dilation);
    visit.optional("ceil", self.ceil);
  }
};

struct AvgPool2d {
  static constexpr std::string_view op = "avg_pool2d";
  Pair kernel{};
  Pair stride{};
  Padding padding{};
  bool ceil = false;
  bool count_padding = false;  // divide by what of the window is in the padded image
  bool operator==(const AvgPool2d&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("kernel", self.kernel);
    visit.required("stride", self.stride);
    visit.optional("padding", self.padding);
    visit.optional("ceil", self.ceil);
    visit.optional("count_padding", self.count_padding);
  }
};

// The mean over height and width, which become 1.
struct GlobalAvgPool {
  static constexpr std::string_view op = "global_avg_pool";
  bool operator==(const GlobalAvgPool&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self&, Visitor&) {}
};

// Training mode: normalises by the statistics of the (micro-)batch, per channel (dimension 1).
// running = (1 - momentum) running + momentum batch's, with the unbiased variance.
struct BatchNorm {
  static constexpr std::string_view op = "batch_norm";
  double epsilon = 1e-5;
  double momentum = 0.1;
  bool operator==(const BatchNorm&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("epsilon", self.epsilon);
    visit.optional("momentum", self.momentum);
  }
};

// Normalises over the dimensions from `axis` on; weight and bias have their shape.
struct LayerNorm {
  static constexpr std::string_view op = "layer_norm";
  std::int64_t axis = -1;
  double epsilon = 1e-5;
  bool bias = true;
  bool operator==(const LayerNorm&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("axis", self.axis);
    visit.optional("epsilon", self.epsilon);
    visit.optional("bias", self.bias);
  }
};

// Local response normalisation over `size` neighbouring channels:
// y = x / (k + alpha / size · Σ x²)^beta.
struct LocalResponseNorm {
  static constexpr std::string_view op = "lrn";
  std::int64_t size = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;
  bool operator==(const LocalResponseNorm&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("size", self.size);
    visit.optional("alpha", self.alpha);
    visit.optional("beta", self.beta);
    visit.optional("k", self.k);
  }
};

// Rows of a learned table [entries, width], chosen by an int32 input.
struct Embedding {
  static constexpr std::string_view op = "embedding";
  std::int64_t entries = 0;
  std::int64_t width = 0;
  bool operator==(const Embedding&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("entries", self.entries);
    visit.required("width", self.width);
  }
};

// Scaled dot-product attention: softmax(scale q kᵀ) v, head by head. Inputs q, k, v are
// [batch, sequence, heads × width of a head]; k and v may have another sequence length.
struct Attention {
  static constexpr std::string_view op = "attention";
  std::int64_t heads = 1;
  bool causal = false;
  std::optional<double> scale;  // 1 / √(width of a head)
  bool operator==(const Attention&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.required("heads", self.heads);
    visit.optional("causal", self.causal);
    visit.optional("scale", self.scale);
  }
};

// The mask is a function of the run's seed, this seed, the step and the position: nothing is kept.
struct Dropout {
  static constexpr std::string_view op = "dropout";
  double probability = 0.5;
  std::int64_t seed = 0;
  bool operator==(const Dropout&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("probability", self.probability);
    visit.optional("seed", self.seed);
  }
};

using LayerKind = std::variant<Conv2d, ConvTranspose2d, Linear, Matmul, Bias, Scale, Affine, Relu,
                               Gelu, Sigmoid, Tanh, Softmax, Add, Mul, Concat, Split, Reshape,
                               Flatten, Transpose, MaxPool2d, AvgPool2d, GlobalAvgPool, BatchNorm,
                               LayerNorm, LocalResponseNorm, Embedding, Attention, Dropout>;

// Of [batch, classes], [batch, …, classes] or, with axis 1, [batch, classes, height, width] and
// int32 labels of the other dimensions: the mean over all labels of the whole batch.
struct CrossEntropy {
  static constexpr std::string_view op = "cross_entropy";
  std::int64_t axis = -1;
  bool operator==(const CrossEntropy&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("axis", self.axis);
  }
};

// The mean of squared differences of two inputs of one shape.
struct MeanSquaredError {
  static constexpr std::string_view op = "mse";
  bool operator==(const MeanSquaredError&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self&, Visitor&) {}
};

using LossKind = std::variant<CrossEntropy, MeanSquaredError>;

// v = momentum v + g + weight_decay w;  w -= learning_rate v.
struct Sgd {
  static constexpr std::string_view op = "sgd";
  double learning_rate = 0.01;
  double momentum = 0;
  double weight_decay = 0;
  bool operator==(const Sgd&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("learning_rate", self.learning_rate);
    visit.optional("momentum", self.momentum);
    visit.optional("weight_decay", self.weight_decay);
  }
};

struct Adam {
  static constexpr std::string_view op = "adam";
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;  // decoupled from the gradient, as in AdamW
  bool operator==(const Adam&) const = default;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor& visit) {
    visit.optional("learning_rate", self.learning_rate);
    visit.optional("beta1", self.beta1);
    visit.optional("beta2", self.beta2);
    visit.optional("epsilon", self.epsilon);
    visit.optional("weight_decay", self.weight_decay);
  }
};

using Optimizer = std::variant<Sgd, Adam>;

// The word by which files name what a variant holds.
template <typename... Kinds>
std::string_view op_name(const std::variant<Kinds...>& kind) {
  return std::visit([](const auto& held) { return std::decay_t<decltype(held)>::op; }, kind);
}

}  // namespace stint
