#include <fmt/format.h>

#include "files/input_error.hpp"
#include "schedules/network_facts.hpp"
#include "schedules/summary.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;

std::string shapes(const std::vector<ValueType>& values) {
  std::string text;
  for (const ValueType& value : values) {
    text += (text.empty() ? "" : ", ") + to_string(value.shape);
  }
  return text;
}

std::string inputs(const Network& network) {
  TextTable table({{"input", Align::left}, {"shape", Align::left}, {"type", Align::left}});
  for (const NetworkInput& input : network.inputs) {
    table.row({input.name, to_string(input.shape), to_string(input.type)});
  }
  return table.text();
}

std::string layers(const Network& network, const NetworkFacts& facts) {
  TextTable table({{"layer", Align::left},
                   {"op", Align::left},
                   {"output", Align::left},
                   {"parameters"},
                   {"activation"},
                   {"flops"}});
  for (std::size_t i = 0; i < facts.layers.size(); ++i) {
    const LayerFacts& it = facts.layers[i];
    table.row({network.layers[i].name, std::string(op_name(network.layers[i].kind)),
               shapes(it.outputs), std::to_string(it.parameters), bytes_text(it.activation_bytes),
               flops_text(it.flops)});
  }
  table.row({"all", "", "", std::to_string(facts.parameters), bytes_text(facts.activation_bytes),
             flops_text(facts.flops)});
  return table.text();
}

std::string step(const NetworkFacts& facts) {
  TextTable table({{"one step", Align::left}, {"", Align::left}});
  table.row({"kept for backward", bytes_text(facts.kept_bytes) + " at batch 1"});
  table.row({"peak, all kept", fmt::format("{} at batch {}, state included",
                                           bytes_text(facts.peak_bytes), facts.batch)});
  table.row({"tasks", std::to_string(facts.tasks)});
  return table.text();
}

}  // namespace

std::string summary(const Network& network, std::int64_t batch) {
  const NetworkFacts facts = network_facts(network, batch);
  std::string text = fmt::format(
      "{}: a network of {}, {}, trained for {} by {}\n", one_line(network.name),
      count_text(std::ssize(network.layers), "layer"), count_text(facts.parameters, "parameter"),
      op_name(network.loss.kind), op_name(network.optimizer));
  if (!network.description.empty()) text += one_line(network.description) + '\n';
  text += '\n' + inputs(network) + "\nper sample, forward\n" + layers(network, facts);
  return text + '\n' + step(facts);
}

}  // namespace stint
