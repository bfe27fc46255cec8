#include "models/training/orders.hpp"

namespace stint {
namespace {

// With one channel or one pixel both orders are the same bytes.
bool orders_differ(const Shape& shape) {
  return shape.size() == 4 && shape[1] != Dimension{1} &&
         !(shape[2] == Dimension{1} && shape[3] == Dimension{1});
}

}  // namespace

WantedOrder wanted_order(const LayerKind& kind) {
  const auto is = [&]<typename... Kinds>(std::type_identity<std::variant<Kinds...>>) {
    return (std::holds_alternative<Kinds>(kind) || ...);
  };
  using Sliding =
      std::variant<Conv2d, ConvTranspose2d, MaxPool2d, AvgPool2d, GlobalAvgPool, LocalResponseNorm>;
  using Listed = std::variant<Linear, Matmul, Softmax, Reshape, Flatten, Transpose, LayerNorm,
                              Attention, Embedding>;
  if (is(std::type_identity<Sliding>{})) return WantedOrder::layout;
  if (is(std::type_identity<Listed>{})) return WantedOrder::listed;
  return WantedOrder::as_first;
}

bool ImageOrders::wants_channels_last(const LayerKind& kind,
                                      const std::vector<ValueId>& inputs) const {
  switch (wanted_order(kind)) {
    case WantedOrder::layout:
      return channels_last_;
    case WantedOrder::listed:
      return false;
    case WantedOrder::as_first:
      break;
  }
  return builder_.value(inputs[0]).channels_last;
}

std::vector<ValueId> ImageOrders::arrange(const LayerKind& kind, const std::vector<ValueId>& inputs,
                                          std::vector<AppliedLayer>& reorders) {
  const bool channels_last = wants_channels_last(kind, inputs);
  std::vector<ValueId> arranged;
  for (const ValueId input : inputs) arranged.push_back(in_order(input, channels_last, reorders));
  return arranged;
}

ValueId ImageOrders::in_order(ValueId image, bool channels_last,
                              std::vector<AppliedLayer>& reorders) {
  const Value& value = builder_.value(image);
  if (value.channels_last == channels_last || !orders_differ(value.shape)) return image;
  if (const auto found = reordered_.find(image); found != reordered_.end()) return found->second;
  Value other = value;
  other.name += channels_last ? ".nhwc" : ".nchw";
  other.kind = Kind::activation;
  other.channels_last = channels_last;
  other.same_bytes = no_value;
  AppliedLayer reorder{.name = other.name, .kind = Reorder{channels_last}, .inputs = {image}};
  reorder.outputs = {builder_.add_value(std::move(other))};
  reordered_[image] = reorder.outputs[0];
  reorders.push_back(reorder);
  return reorder.outputs[0];
}

}  // namespace stint
