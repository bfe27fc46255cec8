// A network as its author writes it: layers over named values, a loss and an optimizer; shapes have
// a symbolic batch. Nothing here says how it is trained: that is lower() (models/lowering.hpp).
#pragma once

#include <string>
#include <vector>

#include "models/layers/layer.hpp"
#include "models/layers/shape.hpp"

namespace stint {

struct NetworkInput {
  std::string name;
  Shape shape;
  Element type = Element::f32;
  bool operator==(const NetworkInput&) const = default;
};

struct Layer {
  std::string name;  // unique among layers; parameters are named after it
  LayerKind kind;
  std::vector<std::string> inputs;   // values: inputs of the network, outputs of layers before
  std::vector<std::string> outputs;  // the values it makes; empty: see output_names
  bool operator==(const Layer&) const = default;
};

struct Loss {
  LossKind kind;
  std::vector<std::string> inputs;  // prediction, then label or target
  bool operator==(const Loss&) const = default;
};

struct Network {
  std::string name;
  std::string description;
  std::vector<NetworkInput> inputs;
  std::vector<Layer> layers;  // in an order that respects dependencies
  Loss loss;
  Optimizer optimizer;
  bool operator==(const Network&) const = default;
};

// The values that a layer makes: those it names, else its own name, or name.0, name.1, … of a
// split.
std::vector<std::string> output_names(const Layer& layer);

// Throws InputError, naming the layer as a JSON pointer and by name, unless names are unique, every
// value is made before it is used and used by someone, counts of inputs and outputs fit, all shapes
// do, and there is something to train.
void check(const Network& network);

// Reads a "stint-model" document, repeated blocks written out, and checks it.
Network read_network(const std::string& path);
Network parse_network(const std::string& text, const std::string& file);

// The file's text, repeated blocks written out: the same network gives the same bytes.
std::string network_text(const Network& network);

}  // namespace stint
