#include "models/onnx/sorted_nodes.hpp"

#include <functional>
#include <map>
#include <queue>
#include <set>

#include "files/input_error.hpp"

namespace stint {
namespace {

class Sorting {
 public:
  Sorting(const OnnxGraph& graph, const std::string& file) : graph_(graph), file_(file) {
    for (const OnnxTensor& tensor : graph.initializers) given_.insert(tensor.name);
    for (const OnnxInput& input : graph.inputs) given_.insert(input.name);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string& name : graph.nodes[i].outputs) note_maker(name, i);
    }
  }

  std::vector<OnnxNode> sorted(const std::string& output) {
    mark(output);
    std::vector<OnnxNode> nodes;
    for (const std::size_t i : ready_order()) nodes.push_back(graph_.nodes[i]);
    if (nodes.size() != needed_.size())
      throw InputError(file_, "nodes read each other's outputs in a circle, such as " +
                                  to_string(stuck()) + "; expected a graph without cycles");
    return nodes;
  }

 private:
  void note_maker(const std::string& name, std::size_t node) {
    if (name.empty()) return;
    if (given_.contains(name) || !makers_.emplace(name, node).second)
      throw InputError(file_, "two places make " + in_quotes(name) + "; expected unique names");
  }

  // Everything that the output depends on.
  void mark(const std::string& output) {
    std::vector<std::size_t> open;
    const auto need = [&](const std::string& name, const std::string& reader) {
      if (name.empty() || given_.contains(name)) return;
      const auto maker = makers_.find(name);
      if (maker == makers_.end())
        throw InputError(file_, reader + " reads " + in_quotes(name) +
                                    ", which nothing makes; expected an input, an initializer or "
                                    "the output of a node");
      if (needed_.insert(maker->second).second) open.push_back(maker->second);
    };
    need(output, "the loss");
    while (!open.empty()) {
      const OnnxNode& node = graph_.nodes[open.back()];
      open.pop_back();
      for (const std::string& name : node.inputs) need(name, to_string(node));
    }
  }

  // The makers of what a node reads, each once.
  std::set<std::size_t> makers_of(std::size_t node) const {
    std::set<std::size_t> makers;
    for (const std::string& name : graph_.nodes[node].inputs) {
      const auto maker = makers_.find(name);
      if (maker != makers_.end()) makers.insert(maker->second);
    }
    return makers;
  }

  // Always the first node of the file that can follow: a sound order stays as it is.
  std::vector<std::size_t> ready_order() {
    std::map<std::size_t, std::vector<std::size_t>> readers;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (const std::size_t node : needed_) {
      const auto makers = makers_of(node);
      for (const std::size_t maker : makers) readers[maker].push_back(node);
      waits_for_[node] = makers.size();
      if (makers.empty()) ready.push(node);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
      order.push_back(ready.top());
      ready.pop();
      for (const std::size_t reader : readers[order.back()]) {
        if (--waits_for_[reader] == 0) ready.push(reader);
      }
    }
    return order;
  }

  const OnnxNode& stuck() const {
    for (const auto& [node, count] : waits_for_) {
      if (count > 0) return graph_.nodes[node];
    }
    return graph_.nodes.front();
  }

  const OnnxGraph& graph_;
  const std::string& file_;
  std::set<std::string> given_;
  std::map<std::string, std::size_t> makers_;
  std::set<std::size_t> needed_;
  std::map<std::size_t, std::size_t> waits_for_;
};

}  // namespace

std::vector<OnnxNode> sorted_nodes(const OnnxGraph& graph, const std::string& output,
                                   const std::string& file) {
  return Sorting(graph, file).sorted(output);
}

std::string to_string(const OnnxNode& node) {
  const std::string value = node.outputs.empty() ? "" : node.outputs[0];
  return node.op + " " + in_quotes(node.name.empty() ? value : node.name);
}

}  // namespace stint
