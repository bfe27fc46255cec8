#include "files/json_reader.hpp"
#include "models/layers/shape_json.hpp"
#include "schedules/network_facts.hpp"
#include "schedules/summary.hpp"

namespace stint {
namespace {

using Json = nlohmann::ordered_json;

Json inputs_json(const Network& network) {
  Json list = Json::array();
  for (const NetworkInput& input : network.inputs) {
    list.push_back(
        {{"name", input.name}, {"shape", to_json(input.shape)}, {"type", to_string(input.type)}});
  }
  return list;
}

Json layer_json(const Layer& layer, const LayerFacts& facts) {
  Json outputs = Json::array();
  const std::vector<std::string> names = output_names(layer);
  for (std::size_t i = 0; i < names.size(); ++i) {
    outputs.push_back({{"name", names[i]}, {"shape", to_json(facts.outputs[i].shape)}});
  }
  return {{"name", layer.name},
          {"op", op_name(layer.kind)},
          {"outputs", outputs},
          {"parameters", facts.parameters},
          {"activation_bytes", facts.activation_bytes},
          {"flops", facts.flops}};
}

}  // namespace

std::string summary_json(const Network& network, std::int64_t batch) {
  const NetworkFacts facts = network_facts(network, batch);
  Json layers = Json::array();
  for (std::size_t i = 0; i < facts.layers.size(); ++i) {
    layers.push_back(layer_json(network.layers[i], facts.layers[i]));
  }
  const Json json = {{"format", "stint-model"},
                     {"name", network.name},
                     {"inputs", inputs_json(network)},
                     {"layers", layers},
                     {"loss", op_name(network.loss.kind)},
                     {"optimizer", op_name(network.optimizer)},
                     {"parameters", facts.parameters},
                     {"activation_bytes", facts.activation_bytes},
                     {"flops", facts.flops},
                     {"kept_bytes", facts.kept_bytes},
                     {"batch", facts.batch},
                     {"peak_bytes", facts.peak_bytes},
                     {"tasks", facts.tasks}};
  return json.dump() + '\n';
}

}  // namespace stint
