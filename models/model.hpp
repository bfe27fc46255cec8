// What `plan` is given: a network of layers, or a graph of tasks with known costs. A schedule
// carries it in full.
#pragma once

#include <string>
#include <variant>

#include "models/graph.hpp"
#include "models/layers/network.hpp"

namespace stint {

using Model = std::variant<Graph, Network>;

// Reads a "stint-tasks", "stint-model" or ONNX file, checked; "-" is standard input. An ONNX file
// is known by its name alone, and trained as OnnxOptions says by default.
Model read_model(const std::string& path);
bool is_onnx_file(const std::string& path);
Model parse_model(const std::string& text, const std::string& file);

// The file's text, whose SHA-256 is the model's name in other files.
std::string model_text(const Model& model);

const std::string& name_of(const Model& model);

}  // namespace stint
