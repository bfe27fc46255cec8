// What layers make of shapes: outputs and parameters, for a symbolic batch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/layers/network.hpp"

namespace stint {

struct ValueType {
  Shape shape;
  Element element = Element::f32;
  bool operator==(const ValueType&) const = default;
};

// How a parameter begins; with seeds and fans, for whoever makes the first values.
enum class Initial { kaiming_uniform, normal, zeros, ones };

struct Parameter {
  std::string name;  // "conv1.weight"
  std::vector<std::int64_t> shape;
  Initial initial = Initial::zeros;
  std::int64_t fan_in = 0;  // for kaiming_uniform
  bool trained = true;      // else state that no gradient reaches: running statistics
};

struct LayerTypes {
  std::vector<ValueType> inputs;
  std::vector<ValueType> outputs;
  std::vector<Parameter> parameters;  // its own: those it makes; not one that it shares
};

struct NetworkTypes {
  std::map<std::string, ValueType> values;
  std::vector<LayerTypes> layers;  // by layer
};

// Throws InputError("/layers/3", …) with the layer's name if a value is missing or shapes do not
// fit.
NetworkTypes infer(const Network& network);

// One layer, given what it reads. Throws ShapeFault. A linear layer that shares a weight is given
// its own shape of it, to be compared by whoever knows the other layer.
LayerTypes infer(const Layer& layer, const std::vector<ValueType>& inputs);

std::int64_t element_count(const Parameter& parameter);
std::int64_t parameter_count(const LayerTypes& layer);    // numbers that are trained
std::int64_t parameter_count(const NetworkTypes& types);  // likewise

}  // namespace stint
