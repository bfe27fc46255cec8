// One training step of a network on one (micro-)batch of symbolic size: operations over values, in
// an order that respects dependencies. Each operation states exactly what it reads.
//
// This is the network differentiated, not yet lowered: no bytes, no micro-batches, no cuts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/graph.hpp"
#include "models/layers/infer.hpp"
#include "models/layers/network.hpp"
#include "models/training/effort.hpp"

namespace stint {

enum ValueId : int {};  // index into Training::values
inline constexpr ValueId no_value{-1};

struct Value {
  std::string name;
  Shape shape;  // logical: images are [batch, channels, height, width] however they lie in memory
  Element element = Element::f32;
  Kind kind = Kind::activation;
  bool channels_last = false;     // of an image: lies as [batch, height, width, channels]
  ValueId same_bytes = no_value;  // the value of which this is another shape
  std::string order;              // of a weight that is not stored as listed (weight_order.hpp)
  ValueId part_of = no_value;     // without samples: the whole whose elements it is some of
                                  // (shard.hpp), from one of them, as stored, on
  std::int64_t first_element = 0;
};

// What partial results over leaves are put together by: a sum, or the merging of means and squares.
enum class Combine { sum, moments };

// A small convolution and what follows it, computed in one go (fuse.hpp).
struct FusedConvolution {
  Conv2d convolution;
  Relu rectifier;
  bool pools = false;  // maxima of windows of 2 x 2, side by side
  bool operator==(const FusedConvolution&) const = default;
};

// A batch norm and the ReLU after it; `residual_first` where a residual is added in between, as the
// first of the two.
struct FusedNorm {
  BatchNorm norm;
  Relu rectifier;
  bool residual_first = false;
  bool operator==(const FusedNorm&) const = default;
};

// A ReLU and the maxima after it.
struct FusedPool {
  Relu rectifier;
  MaxPool2d pool;
  bool operator==(const FusedPool&) const = default;
};

// A convolution or linear layer, and after it, leaf by leaf, layers that work element by element: a
// ReLU, with maxima after it or without, or others (fuse.hpp).
struct FusedProduct {
  LayerKind product;
  std::vector<LayerKind> then;    // in this order
  std::optional<MaxPool2d> pool;  // after a ReLU, which is all the rest
  Shape between;                  // of what the product makes
  bool residual_first = false;    // of a sum, what the product does not make is the first
  bool keeps_between = false;     // what the product makes is written too: backward reads it
  bool operator==(const FusedProduct&) const = default;
};

// What an operation was made from, for whoever creates its kernel.
using Origin = std::variant<std::monostate, LayerKind, LossKind, Optimizer, FusedConvolution,
                            FusedNorm, FusedPool, FusedProduct>;

// The op of what puts a weight into another order in memory.
inline constexpr const char* weight_reorder_op = "reorder_weight";

// The op of what copies a version of a weight before it is replaced (weight_versions.hpp).
inline constexpr const char* stash_op = "stash";

struct Operation {
  std::string name;  // "conv1.backward_data"
  std::string op;    // "conv2d.backward_data"
  Phase phase = Phase::forward;
  std::string layer;  // by which a cut names it; "" if it belongs to none
  Origin origin;
  std::vector<ValueId> reads;  // by position; a value may stand twice
  std::vector<ValueId> writes;
  std::vector<ValueId> updates;
  std::vector<ValueId> optional;
  std::vector<std::pair<ValueId, ValueId>> may_overwrite;  // (y, x)
  Effort effort;
  Combine combine = Combine::sum;
  Dimension averaged_over{0};  // elements behind each statistic that is read
};

inline bool is_update(const Operation& operation) {
  return std::holds_alternative<Optimizer>(operation.origin);
}

// A trained parameter, and what its update needs.
struct Trained {
  ValueId parameter = no_value;
  ValueId gradient = no_value;
};

struct Training {
  std::vector<Value> values;
  std::vector<Operation> operations;
  std::vector<Trained> trained;       // each parameter once
  std::vector<Parameter> parameters;  // all, with shapes and first values
  ValueId loss = no_value;
};

}  // namespace stint
