#include "models/layers/infer.hpp"

#include <fmt/format.h>

#include <limits>

#include "files/input_error.hpp"
#include "models/layers/infer_kinds.hpp"

namespace stint {
namespace {

struct InputCount {
  std::size_t least = 1;
  std::size_t most = 1;
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

template <typename Kind>
InputCount input_count(const Kind&) {
  return {};
}
InputCount input_count(const Matmul&) { return {2, 2}; }
InputCount input_count(const Mul&) { return {2, 2}; }
InputCount input_count(const Add&) { return {2, any_number}; }
InputCount input_count(const Concat&) { return {1, any_number}; }
InputCount input_count(const Attention&) { return {3, 3}; }

void check_count(InputCount expected, std::size_t given) {
  if (given >= expected.least && given <= expected.most) return;
  throw ShapeFault(fmt::format("{} inputs; expected {}{}", given,
                               expected.most == any_number ? "at least " : "", expected.least));
}

void check_elements(const Layer& layer, const std::vector<ValueType>& inputs) {
  const bool of_numbers = std::holds_alternative<Embedding>(layer.kind);
  const Element expected = of_numbers ? Element::int32 : Element::f32;
  for (const ValueType& input : inputs) {
    if (input.element != expected)
      throw ShapeFault(fmt::format("an input is of {}; expected {}", to_string(input.element),
                                   to_string(expected)));
  }
}

// Throws ShapeFault beyond what we count; the parameters of one layer may be huge together.
void check_sizes(const LayerOutcome& outcome) {
  for (const Shape& output : outcome.outputs) product(output);
  for (const Parameter& parameter : outcome.parameters) {
    Shape shape;
    for (const std::int64_t count : parameter.shape) shape.push_back({count});
    product(shape);
  }
}

class Inference {
 public:
  explicit Inference(const Network& network) : network_(network) {}

  NetworkTypes infer_all() {
    for (std::size_t i = 0; i < network_.inputs.size(); ++i) add_input(i);
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      try {
        add_layer(network_.layers[i]);
      } catch (const ShapeFault& fault) {
        const Layer& layer = network_.layers[i];
        throw InputError(
            fmt::format("/layers/{}", i),
            fmt::format("{} ({}): {}", in_quotes(layer.name), op_name(layer.kind), fault.what()));
      }
    }
    return std::move(types_);
  }

 private:
  void add_input(std::size_t index) {
    const NetworkInput& input = network_.inputs[index];
    try {
      for (const Dimension dimension : input.shape) {
        if (dimension.count < 1) throw ShapeFault("a dimension below 1; expected 1 or more");
      }
      product(input.shape);
      add_value(input.name, {input.shape, input.type});
    } catch (const ShapeFault& fault) {
      throw InputError(fmt::format("/inputs/{}", index),
                       fmt::format("{}: {}", in_quotes(input.name), fault.what()));
    }
  }

  void add_value(const std::string& name, ValueType type) {
    if (name.empty()) throw ShapeFault("a value without a name; expected one");
    if (!types_.values.emplace(name, std::move(type)).second)
      throw ShapeFault(fmt::format("makes {}, which exists already; expected a name of its own",
                                   in_quotes(name)));
  }

  void add_layer(const Layer& layer) {
    std::vector<ValueType> inputs;
    for (const std::string& name : layer.inputs) {
      const auto found = types_.values.find(name);
      if (found == types_.values.end())
        throw ShapeFault(
            fmt::format("reads {}, which nothing before it makes; expected an input of "
                        "the network or the output of a layer before",
                        in_quotes(name)));
      inputs.push_back(found->second);
    }
    LayerTypes types = infer(layer, inputs);
    note_weight(layer, inputs);
    const auto names = output_names(layer);
    if (names.size() != types.outputs.size())
      throw ShapeFault(
          fmt::format("names {} outputs; expected {}", names.size(), types.outputs.size()));
    for (std::size_t i = 0; i < names.size(); ++i) add_value(names[i], types.outputs[i]);
    types_.layers.push_back(std::move(types));
  }

  // Weights that others may share, and the one that this layer shares.
  void note_weight(const Layer& layer, const std::vector<ValueType>& inputs) {
    if (const auto* embedding = std::get_if<Embedding>(&layer.kind))
      weights_[layer.name] = {embedding->entries, embedding->width};
    const auto* linear = std::get_if<Linear>(&layer.kind);
    if (linear == nullptr) return;
    const std::vector<std::int64_t> wanted = {linear->features, inputs[0].shape.back().count};
    if (linear->weight_of.empty()) {
      weights_[layer.name] = wanted;
      return;
    }
    const auto shared = weights_.find(linear->weight_of);
    if (shared == weights_.end())
      throw ShapeFault(
          fmt::format("weight_of {}; expected a linear or embedding layer before it that "
                      "has a weight of its own",
                      in_quotes(linear->weight_of)));
    if (shared->second != wanted)
      throw ShapeFault(fmt::format(
          "needs a weight of {}×{}, but that of {} is {}×{}; expected the same", wanted[0],
          wanted[1], in_quotes(linear->weight_of), shared->second[0], shared->second[1]));
  }

  const Network& network_;
  NetworkTypes types_;
  std::map<std::string, std::vector<std::int64_t>> weights_;  // by layer
};

}  // namespace

std::int64_t fixed(const Shape& shape, std::size_t axis) {
  if (shape[axis].per_sample)
    throw ShapeFault(fmt::format("dimension {} of {} depends on the batch; expected a fixed one",
                                 axis, to_string(shape)));
  return shape[axis].count;
}

void expect_positive(const char* attribute, std::int64_t value) {
  if (value < 1 || value > most_elements)
    throw ShapeFault(fmt::format("{} {}; expected 1 or more", attribute, value));
}

void expect_positive(const char* attribute, const Pair& values) {
  for (const std::int64_t value : values) expect_positive(attribute, value);
}

LayerTypes infer(const Layer& layer, const std::vector<ValueType>& inputs) {
  InputShapes shapes;
  for (const ValueType& input : inputs) shapes.push_back(input.shape);
  LayerOutcome outcome = std::visit(
      [&](const auto& kind) {
        check_count(input_count(kind), inputs.size());
        check_elements(layer, inputs);
        return infer_kind(kind, shapes);
      },
      layer.kind);
  check_sizes(outcome);
  LayerTypes types{.inputs = inputs};
  for (Shape& shape : outcome.outputs) types.outputs.push_back({std::move(shape), Element::f32});
  types.parameters = std::move(outcome.parameters);
  for (Parameter& parameter : types.parameters) parameter.name = layer.name + "." + parameter.name;
  return types;
}

NetworkTypes infer(const Network& network) { return Inference(network).infer_all(); }

std::int64_t element_count(const Parameter& parameter) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : parameter.shape) count *= dimension;
  return count;
}

std::int64_t parameter_count(const LayerTypes& layer) {
  std::int64_t count = 0;
  for (const Parameter& parameter : layer.parameters) {
    if (parameter.trained) count += element_count(parameter);
  }
  return count;
}

std::int64_t parameter_count(const NetworkTypes& types) {
  std::int64_t count = 0;
  for (const LayerTypes& layer : types.layers) count += parameter_count(layer);
  return count;
}

}  // namespace stint
