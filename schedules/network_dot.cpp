#include <fmt/format.h>

#include <iterator>
#include <map>

#include "models/layers/infer.hpp"
#include "schedules/colours.hpp"
#include "schedules/dot.hpp"
#include "schedules/dot_words.hpp"

namespace stint {
namespace {

class NetworkDot {
 public:
  explicit NetworkDot(const Network& network) : network_(network), types_(infer(network)) {}

  std::string write() {
    text_ = dot_head(network_.name, "TB");
    for (std::size_t i = 0; i < network_.inputs.size(); ++i) add_input(i);
    for (std::size_t i = 0; i < network_.layers.size(); ++i) add_layer(i);
    add_box("loss", std::string(op_name(network_.loss.kind)), Phase::loss);
    add_edges(network_.loss.inputs, "loss");
    return text_ + "}\n";
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  void add_input(std::size_t i) {
    const std::string id = fmt::format("i{}", i);
    add("  {} [label={}, shape=ellipse, style=filled, fillcolor=\"#ffffff\"]\n", id,
        in_dot_quotes(network_.inputs[i].name));
    made_by_[network_.inputs[i].name] = id;
  }

  void add_box(const std::string& id, const std::string& label, Phase phase) {
    add("  {} [label={}, fillcolor=\"{}\"]\n", id, in_dot_quotes(label), colour_of(phase));
  }

  void add_layer(std::size_t i) {
    const Layer& layer = network_.layers[i];
    const std::string id = fmt::format("l{}", i);
    add_box(id, layer.name + '\n' + std::string(op_name(layer.kind)), Phase::forward);
    add_edges(layer.inputs, id);
    for (const std::string& output : output_names(layer)) {
      made_by_[output] = id;
    }
  }

  void add_edges(const std::vector<std::string>& values, const std::string& to) {
    for (const std::string& value : values) {
      add("  {} -> {} [label={}]\n", made_by_.at(value), to,
          in_dot_quotes(to_string(types_.values.at(value).shape)));
    }
  }

  const Network& network_;
  NetworkTypes types_;
  std::map<std::string, std::string> made_by_;  // value: id of its layer or input
  std::string text_;
};

}  // namespace

std::string dot_text(const Network& network) { return NetworkDot(network).write(); }

}  // namespace stint
