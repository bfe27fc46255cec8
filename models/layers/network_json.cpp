#include "models/layers/network_json.hpp"

#include <charconv>

#include "files/text_file.hpp"
#include "models/layers/kind_json.hpp"
#include "models/layers/repeat_json.hpp"
#include "models/layers/shape_json.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::pair<std::string_view, Element>> element_words = {
    {"f32", Element::f32}, {"int32", Element::int32}, {"uint8", Element::uint8}};

std::vector<NetworkInput> read_inputs(const JsonReader& list) {
  std::vector<NetworkInput> inputs;
  for (const JsonReader& input : list.elements()) {
    input.expect_only({"name", "shape", "type"});
    inputs.push_back({.name = name_from_json(input.child("name")),
                      .shape = shape_from_json(input.child("shape"), 1),
                      .type = input.word("type", Element::f32, element_words)});
  }
  return inputs;
}

Loss read_loss(const JsonReader& json, const std::map<std::string, std::string>& values) {
  static constexpr std::string_view keys[] = {"inputs"};
  Loss loss{.kind = loss_kind_from_json(json, keys), .inputs = {}};
  for (const JsonReader& input : json.elements("inputs")) {
    const std::string name = input.text();
    const auto found = values.find(name);
    loss.inputs.push_back(found == values.end() ? name : found->second);
  }
  return loss;
}

// A fault that begins with "/layers/17" is about layer 17 of those written out; the document says
// it at another place if some are repeated.
std::string in_document(const std::string& fault, const JsonReader& document,
                        const std::vector<std::string>& places) {
  constexpr std::string_view list = "/layers/";
  std::size_t layer = places.size();
  const char* const end = fault.data() + fault.size();
  const char* rest = end;
  if (fault.starts_with(list)) rest = std::from_chars(fault.data() + list.size(), end, layer).ptr;
  return layer < places.size() ? places[layer] + std::string(rest, end) : document.path() + fault;
}

Json to_json(const NetworkInput& input) {
  Json json = {{"name", input.name}, {"shape", to_json(input.shape)}};
  if (input.type != Element::f32) json["type"] = to_string(input.type);
  return json;
}

Json to_json(const Loss& loss) {
  Json json = {{"op", op_name(loss.kind)}, {"inputs", loss.inputs}};
  add_attributes(loss.kind, json);
  return json;
}

Json to_json(const Optimizer& optimizer) {
  Json json = {{"op", op_name(optimizer)}};
  add_attributes(optimizer, json);
  return json;
}

}  // namespace

Network network_from_json(const JsonReader& document) {
  document.expect_format("stint-model", 1);
  document.expect_only(
      {"format", "version", "name", "description", "inputs", "layers", "loss", "optimizer"});
  Network network;
  network.name = name_from_json(document.child("name"));
  network.description = document.text("description", "");
  network.inputs = read_inputs(document.child("inputs"));
  WrittenOut written = layers_from_json(document.child("layers"), network.inputs);
  network.layers = std::move(written.layers);
  network.loss = read_loss(document.child("loss"), written.values);
  network.optimizer = optimizer_from_json(document.child("optimizer"));
  try {
    check(network);
  } catch (const InputError& fault) {
    throw InputError(document.file(), in_document(fault.what(), document, written.places));
  }
  return network;
}

Network parse_network(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return network_from_json({document, file});
}

Network read_network(const std::string& path) {
  return parse_network(read_text(path), path == "-" ? "standard input" : path);
}

std::string network_text(const Network& network) {
  JsonText text;
  text.value("format", "stint-model");
  text.value("version", 1);
  text.value("name", network.name);
  if (!network.description.empty()) text.value("description", network.description);
  text.begin_list("inputs");
  for (const NetworkInput& input : network.inputs) text.element(to_json(input));
  text.end_list();
  text.begin_list("layers");
  for (const Layer& layer : network.layers) text.element(to_json(layer));
  text.end_list();
  text.value("loss", to_json(network.loss));
  text.value("optimizer", to_json(network.optimizer));
  return text.finish();
}

}  // namespace stint
