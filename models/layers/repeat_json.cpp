#include "models/layers/repeat_json.hpp"

#include <fmt/format.h>

#include "models/check_graph.hpp"
#include "models/layers/kind_json.hpp"

namespace stint {
namespace {

// An element of "layers" as the file says it: a layer, or a block of elements.
struct FileElement {
  JsonReader json;
  Layer layer;                 // names as in the file; of a block only its name and its input
  std::size_t text_bytes = 0;  // of a layer
  std::int64_t rounds = 0;     // of a block
  std::vector<FileElement> elements;  // of a block
};

std::vector<std::string> read_outputs(const JsonReader& list) {
  std::vector<std::string> outputs;
  for (const JsonReader& output : list.elements()) outputs.push_back(name_from_json(output));
  if (outputs.empty()) list.fail("no outputs; expected at least one");
  return outputs;
}

FileElement read_layer(const JsonReader& json) {
  static constexpr std::string_view keys[] = {"name", "inputs", "outputs"};
  Layer layer{.name = "", .kind = layer_kind_from_json(json, keys), .inputs = {}, .outputs = {}};
  layer.name = name_from_json(json.child("name"));
  for (const JsonReader& input : json.elements("inputs")) layer.inputs.push_back(input.text());
  if (json.contains("outputs")) layer.outputs = read_outputs(json.child("outputs"));
  const std::size_t text_bytes = to_json(layer).dump().size();
  return {.json = json, .layer = std::move(layer), .text_bytes = text_bytes};
}

std::vector<FileElement> read_elements(const JsonReader& list);

FileElement read_block(const JsonReader& json) {
  json.expect_only({"name", "repeat", "input", "layers"});
  FileElement block{.json = json, .layer = {}};
  block.layer.name = name_from_json(json.child("name"));
  block.layer.inputs = {json.text("input")};
  block.rounds = json.child("repeat").integer(1);
  block.elements = read_elements(json.child("layers"));
  if (block.elements.empty()) json.child("layers").fail("no layers; expected at least one");
  return block;
}

std::vector<FileElement> read_elements(const JsonReader& list) {
  std::vector<FileElement> elements;
  for (const JsonReader& json : list.elements()) {
    elements.push_back(json.contains("repeat") ? read_block(json) : read_layer(json));
  }
  return elements;
}

using FullNames = std::map<std::string, std::string>;

// What one round, or the top level, names; and what is around it.
struct Scope {
  const Scope* outer = nullptr;
  std::string prefix;  // of the full names of what it makes
  FullNames values;
  FullNames layers;
};

std::string full_name(const std::string& name, const Scope& scope, FullNames Scope::*names) {
  for (const Scope* around = &scope; around != nullptr; around = around->outer) {
    const auto found = (around->*names).find(name);
    if (found != (around->*names).end()) return found->second;
  }
  return name;
}

void name_value(const FileElement& element, const std::string& name, std::string full,
                Scope& scope) {
  if (!scope.values.emplace(name, std::move(full)).second) {
    element.json.fail("the name " + in_quotes(name) + " is taken; expected another");
  }
}

class LayerWriter {
 public:
  explicit LayerWriter(WrittenOut& out) : out_(out) {}

  // Returns the output of the last element.
  std::string write(const std::vector<FileElement>& elements, Scope& scope) {
    std::string output;
    for (const FileElement& element : elements) {
      output = element.rounds > 0 ? write_block(element, scope) : write_layer(element, scope);
    }
    return output;
  }

 private:
  std::string write_block(const FileElement& block, Scope& scope) {
    std::string output = full_name(block.layer.inputs[0], scope, &Scope::values);
    for (std::int64_t i = 0; i < block.rounds; ++i) {
      Scope round{.outer = &scope,
                  .prefix = fmt::format("{}{}.{}.", scope.prefix, block.layer.name, i),
                  .values = {{"input", output}},
                  .layers = {}};
      output = write(block.elements, round);
    }
    name_value(block, block.layer.name, output, scope);
    return output;
  }

  std::string write_layer(const FileElement& element, Scope& scope) {
    Layer layer = element.layer;
    for (std::string& input : layer.inputs) input = full_name(input, scope, &Scope::values);
    if (auto* linear = std::get_if<Linear>(&layer.kind)) {
      linear->weight_of = full_name(linear->weight_of, scope, &Scope::layers);
    }
    for (const std::string& output : output_names(layer)) {
      name_value(element, output, scope.prefix + output, scope);
    }
    scope.layers.emplace(layer.name, scope.prefix + layer.name);
    layer.name.insert(0, scope.prefix);
    for (std::string& output : layer.outputs) output.insert(0, scope.prefix);
    if (scope.outer != nullptr) charge(layer, element);
    return add(std::move(layer), element);
  }

  // Limits what a short file can ask for; without blocks a file is its own limit.
  void charge(const Layer& layer, const FileElement& element) {
    repeated_bytes_ += element.text_bytes + layer.name.size();
    for (const std::string& input : layer.inputs) repeated_bytes_ += input.size();
    for (const std::string& output : layer.outputs) repeated_bytes_ += output.size();
    if (repeated_bytes_ > most_repeated_bytes) {
      element.json.fail(fmt::format("more than {} bytes of repeated layers; expected fewer",
                                    most_repeated_bytes));
    }
  }

  std::string add(Layer layer, const FileElement& element) {
    if (out_.layers.size() == most_layers) {
      element.json.fail(
          fmt::format("more than {} layers, repeated ones counted; expected fewer", most_layers));
    }
    const auto outputs = output_names(layer);
    out_.layers.push_back(std::move(layer));
    out_.places.push_back(element.json.path());
    return outputs.empty() ? "" : outputs.front();
  }

  WrittenOut& out_;
  std::size_t repeated_bytes_ = 0;
};

}  // namespace

std::string name_from_json(const JsonReader& json) {
  std::string name = json.text();
  if (const auto fault = fault_in_name(name); !fault.empty()) json.fail(fault);
  return name;
}

WrittenOut layers_from_json(const JsonReader& list, const std::vector<NetworkInput>& inputs) {
  WrittenOut out;
  Scope top;
  for (const NetworkInput& input : inputs) top.values.emplace(input.name, input.name);
  LayerWriter(out).write(read_elements(list), top);
  out.values = std::move(top.values);
  return out;
}

nlohmann::ordered_json to_json(const Layer& layer) {
  nlohmann::ordered_json json = {
      {"name", layer.name}, {"op", op_name(layer.kind)}, {"inputs", layer.inputs}};
  if (!layer.outputs.empty()) json["outputs"] = layer.outputs;
  add_attributes(layer.kind, json);
  return json;
}

}  // namespace stint
