#include "models/layers/repeat_json.hpp"

#include <fmt/format.h>

#include "models/check_graph.hpp"
#include "models/layers/kind_json.hpp"

namespace stint {
namespace {

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

void name_value(const JsonReader& json, const std::string& name, std::string full, Scope& scope) {
  if (!scope.values.emplace(name, std::move(full)).second) {
    json.fail("the name " + in_quotes(name) + " is taken; expected another");
  }
}

class BlockReader {
 public:
  explicit BlockReader(WrittenOut& out) : out_(out) {}

  // Returns the output of the last element.
  std::string read(const std::vector<JsonReader>& elements, Scope& scope) {
    std::string output;
    for (const JsonReader& element : elements) {
      output = element.contains("repeat") ? read_block(element, scope) : read_layer(element, scope);
    }
    return output;
  }

 private:
  std::string read_block(const JsonReader& block, Scope& scope) {
    block.expect_only({"name", "repeat", "input", "layers"});
    const JsonReader name = block.child("name");
    const std::int64_t rounds = block.child("repeat").integer(1);
    const auto elements = block.elements("layers");
    if (elements.empty()) block.child("layers").fail("no layers; expected at least one");
    std::string output = full_name(block.text("input"), scope, &Scope::values);
    for (std::int64_t i = 0; i < rounds; ++i) {
      Scope round{.outer = &scope,
                  .prefix = fmt::format("{}{}.{}.", scope.prefix, name_from_json(name), i),
                  .values = {{"input", output}},
                  .layers = {}};
      output = read(elements, round);
    }
    name_value(name, name.text(), output, scope);
    return output;
  }

  std::string read_layer(const JsonReader& json, Scope& scope) {
    static constexpr std::string_view keys[] = {"name", "inputs", "outputs"};
    Layer layer{.name = "", .kind = layer_kind_from_json(json, keys), .inputs = {}, .outputs = {}};
    layer.name = name_from_json(json.child("name"));
    for (const JsonReader& input : json.elements("inputs")) {
      layer.inputs.push_back(full_name(input.text(), scope, &Scope::values));
    }
    if (auto* linear = std::get_if<Linear>(&layer.kind)) {
      linear->weight_of = full_name(linear->weight_of, scope, &Scope::layers);
    }
    if (json.contains("outputs")) layer.outputs = read_outputs(json.child("outputs"));
    for (const std::string& output : output_names(layer)) {
      name_value(json, output, scope.prefix + output, scope);
    }
    scope.layers.emplace(layer.name, scope.prefix + layer.name);
    return add(std::move(layer), json, scope);
  }

  static std::vector<std::string> read_outputs(const JsonReader& list) {
    std::vector<std::string> outputs;
    for (const JsonReader& output : list.elements()) outputs.push_back(name_from_json(output));
    if (outputs.empty()) list.fail("no outputs; expected at least one");
    return outputs;
  }

  // Limits what a short file can ask for; without blocks a file is its own limit.
  std::string add(Layer layer, const JsonReader& json, const Scope& scope) {
    layer.name.insert(0, scope.prefix);
    for (std::string& output : layer.outputs) output.insert(0, scope.prefix);
    if (out_.layers.size() == most_layers) {
      json.fail(
          fmt::format("more than {} layers, repeated ones counted; expected fewer", most_layers));
    }
    if (scope.outer != nullptr) repeated_bytes_ += to_json(layer).dump().size();
    if (repeated_bytes_ > most_repeated_bytes) {
      json.fail(fmt::format("more than {} bytes of repeated layers; expected fewer",
                            most_repeated_bytes));
    }
    out_.layers.push_back(std::move(layer));
    out_.places.push_back(json.path());
    const auto outputs = output_names(out_.layers.back());
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
  BlockReader(out).read(list.elements(), top);
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
