#include "models/model_json.hpp"

#include "files/text_file.hpp"
#include "models/graph_json.hpp"
#include "models/layers/network_json.hpp"
#include "models/onnx/read_onnx.hpp"

namespace stint {

Model model_from_json(const JsonReader& document) {
  const std::string format = format_of(document);
  if (format == "stint-tasks") return graph_from_json(document);
  if (format == "stint-model") return network_from_json(document);
  document.child("format").fail("the format " + in_quotes(format) +
                                "; expected stint-tasks or stint-model");
}

Model parse_model(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return model_from_json({document, file});
}

bool is_onnx_file(const std::string& path) { return path.ends_with(".onnx"); }

Model read_model(const std::string& path) {
  if (is_onnx_file(path)) return read_onnx(path).network;
  return parse_model(read_text(path), path == "-" ? "standard input" : path);
}

std::string model_text(const Model& model) {
  const auto* const graph = std::get_if<Graph>(&model);
  return graph != nullptr ? graph_text(*graph) : network_text(std::get<Network>(model));
}

const std::string& name_of(const Model& model) {
  return std::visit([](const auto& held) -> const std::string& { return held.name; }, model);
}

}  // namespace stint
