#include "models/training/kernel_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stint {
namespace {

std::string sizes_text(const Shape& shape, std::int64_t samples) {
  std::vector<std::int64_t> sizes;
  for (const Dimension dimension : shape) sizes.push_back(dimension.at(samples));
  return fmt::format("{}", fmt::join(sizes, "x"));
}

// Attributes as key=value; defaults left out.
template <typename Kind>
class AttributeText {
 public:
  static std::string of(const Kind& kind) {
    AttributeText visitor;
    Kind::fields(kind, visitor);
    const Kind defaults;
    AttributeText plain;
    Kind::fields(defaults, plain);
    std::string text;
    for (std::size_t i = 0; i < visitor.fields_.size(); ++i) {
      if (visitor.fields_[i] != plain.fields_[i]) text += " " + visitor.fields_[i];
    }
    return text;
  }

  template <typename Field>
  void required(const char* key, const Field& field) {
    optional(key, field);
  }
  void optional(const char* key, std::int64_t field) {
    if (key != std::string_view("seed")) add(key, std::to_string(field));  // changes no kernel
  }
  void optional(const char* key, bool field) { add(key, field ? "yes" : "no"); }
  void optional(const char* key, double field) { add(key, fmt::format("{}", field)); }
  void optional(const char* key, const std::optional<double>& field) {
    add(key, field ? fmt::format("{}", *field) : "none");
  }
  void optional(const char*, const std::string&) {}  // whose weight it is changes no kernel
  void optional(const char*, const Shape&) {}        // stands in the sizes
  template <typename Numbers>
  void optional(const char* key, const Numbers& field) {
    add(key, fmt::format("{}", fmt::join(field, ",")));
  }

 private:
  void add(const char* key, const std::string& value) {
    fields_.push_back(fmt::format("{}={}", key, value));
  }

  std::vector<std::string> fields_;
};

std::string attributes_text(std::monostate) { return ""; }

// Rates change no kernel, and what is remembered stands in the sizes.
std::string attributes_text(const Optimizer&) { return ""; }

template <typename... Kinds>
std::string attributes_text(const std::variant<Kinds...>& kind) {
  return std::visit(
      [](const auto& held) { return AttributeText<std::decay_t<decltype(held)>>::of(held); }, kind);
}

std::string attributes_text(const FusedConvolution& fused) {
  return AttributeText<Conv2d>::of(fused.convolution) + AttributeText<Relu>::of(fused.rectifier);
}

std::string attributes_text(const FusedNorm& fused) {
  return AttributeText<BatchNorm>::of(fused.norm) + AttributeText<Relu>::of(fused.rectifier);
}

std::string attributes_text(const FusedPool& fused) {
  return AttributeText<Relu>::of(fused.rectifier) + AttributeText<MaxPool2d>::of(fused.pool);
}

// Those of maxima by another name, since convolutions have kernels and strides too.
std::string attributes_text(const FusedProduct& fused) {
  std::string text = attributes_text(fused.product);
  for (const LayerKind& layer : fused.then) text += attributes_text(layer);
  if (fused.pool) text += " then" + AttributeText<MaxPool2d>::of(*fused.pool);
  return text;
}

}  // namespace

std::string kernel_text(const Training& training, const Operation& operation, std::int64_t samples,
                        std::int64_t leaves) {
  bool channels_last = false;
  const auto list = [&](const std::vector<ValueId>& ids) {
    std::vector<std::string> texts;
    for (const ValueId id : ids) {
      const Value& value = training.values[id];
      channels_last |= value.channels_last;
      texts.push_back(sizes_text(value.shape, samples));
    }
    return fmt::format("{}", fmt::join(texts, ","));
  };
  std::string text = list(operation.reads) + "->" +
                     list(operation.updates.empty() ? operation.writes : operation.updates);
  text += std::visit([](const auto& origin) { return attributes_text(origin); }, operation.origin);
  if (channels_last) text += " nhwc";
  if (operation.op == weight_reorder_op) {
    const auto order = [&](ValueId id) {
      const std::string& all = training.values[id].order;
      return all.empty() ? "listed" : all.substr(all.find(' ') + 1);
    };
    text += fmt::format(" {}>{}", order(operation.reads[0]), order(operation.writes[0]));
  }
  if (leaves > 1) text += fmt::format(" leaves={}", leaves);
  return text;
}

}  // namespace stint
