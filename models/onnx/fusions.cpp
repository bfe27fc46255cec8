#include "models/onnx/fusions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace stint {
namespace {

class Fusing {
 public:
  Fusing(std::vector<OnnxNode> nodes, OnnxScope& scope, const std::string& output)
      : nodes_(std::move(nodes)), scope_(scope) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& name : nodes_[i].outputs) makers_[name] = i;
      for (const std::string& name : nodes_[i].inputs) ++readers_[name].count;
      for (const std::string& name : nodes_[i].inputs) readers_[name].last = i;
    }
    ++readers_[output].count;
  }

  std::vector<OnnxNode> fuse_all() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (gone_.contains(i)) continue;
      if (nodes_[i].op == "MatMul") fuse_bias(i);
      if (nodes_[i].op == "Erf") fuse_gelu(i);
      if (nodes_[i].op == "Sqrt") fuse_layer_norm(i);
    }
    std::vector<OnnxNode> kept;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!gone_.contains(i)) kept.push_back(std::move(nodes_[i]));
    }
    return kept;
  }

 private:
  struct Readers {
    int count = 0;
    std::size_t last = 0;
  };
  using Found = std::optional<std::size_t>;  // a node

  // The only node that reads what this one makes, if it is of that kind.
  Found only_reader(std::size_t node, std::string_view op) const {
    if (nodes_[node].outputs.size() != 1) return std::nullopt;
    const auto readers = readers_.find(nodes_[node].outputs[0]);
    if (readers == readers_.end() || readers->second.count != 1) return std::nullopt;
    const std::size_t reader = readers->second.last;
    const OnnxNode& found = nodes_[reader];
    const bool fits = found.op == op && found.inputs.size() == 2 && found.outputs.size() == 1;
    return fits && !gone_.contains(reader) ? Found(reader) : std::nullopt;
  }

  // The input of a node with two that is not the given one.
  const std::string& other_input(std::size_t node, const std::string& name) const {
    return nodes_[node].inputs[nodes_[node].inputs[0] == name ? 1 : 0];
  }

  bool is_about(const std::string& name, double wanted) {
    const auto number = name.empty() ? std::nullopt : scope_.number(name);
    return number && std::fabs(*number - wanted) < 1e-3 * wanted;
  }

  // x, if the node is x · factor or x / (1 / factor).
  std::optional<std::string> scaled_by(std::size_t node, double factor) {
    const OnnxNode& found = nodes_[node];
    if (found.inputs.size() != 2 || found.outputs.size() != 1) return std::nullopt;
    if (found.op == "Div" && is_about(found.inputs[1], 1 / factor)) return found.inputs[0];
    if (found.op != "Mul") return std::nullopt;
    if (is_about(found.inputs[1], factor)) return found.inputs[0];
    if (is_about(found.inputs[0], factor)) return found.inputs[1];
    return std::nullopt;
  }

  Found only_halving_reader(std::size_t node) {
    for (const char* op : {"Mul", "Div"}) {
      const Found reader = only_reader(node, op);
      if (reader && scaled_by(*reader, 0.5) == nodes_[node].outputs[0]) return reader;
    }
    return std::nullopt;
  }

  void replace(const std::vector<std::size_t>& parts, std::size_t last, const std::string& op,
               const std::vector<std::string>& inputs,
               const std::vector<OnnxAttribute>& attributes = {}) {
    for (const std::size_t part : parts) gone_.insert(part);
    gone_.erase(last);
    nodes_[last] = {nodes_[last].name, op, inputs, nodes_[last].outputs, attributes};
  }

  // MatMul by a matrix, then Add of a vector as long as its rows.
  void fuse_bias(std::size_t product) {
    const Found addition = only_reader(product, "Add");
    if (!addition || nodes_[product].inputs.size() != 2) return;
    const std::string weight = nodes_[product].inputs[1];
    const std::string bias = other_input(*addition, nodes_[product].outputs[0]);
    if (!is_matrix_and_bias(weight, bias)) return;
    replace({product}, *addition, "Gemm", {nodes_[product].inputs[0], weight, bias});
  }

  bool is_matrix_and_bias(const std::string& weight, const std::string& bias) {
    if (!scope_.is_constant(weight) || !scope_.is_constant(bias)) return false;
    const auto* matrix = std::get_if<OnnxConstant>(&scope_.value(weight));
    const auto* vector = std::get_if<OnnxConstant>(&scope_.value(bias));
    return matrix != nullptr && vector != nullptr && matrix->shape.size() == 2 &&
           vector->shape == std::vector<std::int64_t>{matrix->shape[1]};
  }

  // x · (1 + erf(x / √2)) / 2, its factors in any order.
  void fuse_gelu(std::size_t erf) {
    if (nodes_[erf].inputs.size() != 1) return;
    const auto scaling = makers_.find(nodes_[erf].inputs[0]);
    if (scaling == makers_.end() || readers_[nodes_[erf].inputs[0]].count != 1) return;
    const auto x = scaled_by(scaling->second, 1 / std::sqrt(2.0));
    const Found addition = only_reader(erf, "Add");
    if (!x || !addition || !is_about(other_input(*addition, nodes_[erf].outputs[0]), 1)) return;
    const Found product = only_reader(*addition, "Mul");
    if (!product) return;
    const std::string factor = other_input(*product, nodes_[*addition].outputs[0]);
    const std::vector<std::size_t> parts = {scaling->second, erf, *addition, *product};
    if (factor == *x) {
      if (const Found half = only_halving_reader(*product)) replace(parts, *half, "Gelu", {*x});
    } else if (is_about(factor, 0.5)) {
      const Found last = only_reader(*product, "Mul");
      if (last && other_input(*last, nodes_[*product].outputs[0]) == *x)
        replace(parts, *last, "Gelu", {*x});
    } else {
      fuse_half_first(parts, *product, factor, *x);
    }
  }

  // (x / 2) · (1 + erf(x / √2)).
  void fuse_half_first(std::vector<std::size_t> parts, std::size_t product,
                       const std::string& factor, const std::string& x) {
    const auto half = makers_.find(factor);
    if (half == makers_.end() || readers_[factor].count != 1 || scaled_by(half->second, 0.5) != x)
      return;
    parts.push_back(half->second);
    replace(parts, product, "Gelu", {x});
  }

  // What makes a value that is read so often, if it is of that kind.
  Found maker(const std::string& name, std::string_view op, int readers = 1) const {
    const auto found = makers_.find(name);
    if (found == makers_.end() || nodes_[found->second].op != op) return std::nullopt;
    const bool fits = readers_.at(name).count == readers && !gone_.contains(found->second);
    return fits && !nodes_[found->second].inputs.empty() ? Found(found->second) : std::nullopt;
  }

  // k, if the node is the mean over the last k dimensions, which stay as ones.
  std::optional<std::int64_t> mean_of_last(std::size_t mean) {
    if (attribute(nodes_[mean], "keepdims", std::int64_t{1}) != 1) return std::nullopt;
    if (has_input(nodes_[mean], 1) && !scope_.is_constant(nodes_[mean].inputs[1]))
      return std::nullopt;
    const std::vector<std::int64_t> axes = list_of(scope_, nodes_[mean], "axes", 1);
    const auto count = static_cast<std::int64_t>(axes.size());
    for (std::int64_t i = 0; i < count; ++i) {
      if (axes[static_cast<std::size_t>(i)] != i - count) return std::nullopt;
    }
    return count > 0 ? std::optional(count) : std::nullopt;
  }

  // The difference whose square this is: d², or d · d.
  std::optional<std::string> root_of(std::size_t square) {
    const auto& inputs = nodes_[square].inputs;
    if (inputs.size() != 2) return std::nullopt;
    const bool fits = nodes_[square].op == "Mul" ? inputs[0] == inputs[1] : is_about(inputs[1], 2);
    return fits ? std::optional(inputs[0]) : std::nullopt;
  }

  // The parts of (x - mean x) / √(mean (x - mean x)² + ε), from the root on: what it is of, and
  // how.
  struct Norm {
    std::vector<std::size_t> parts;
    std::string x;
    std::string difference;
    std::int64_t dimensions = 0;
    double epsilon = 0;
  };

  std::optional<Norm> norm_of(std::size_t root) {
    const Found sum = maker(nodes_[root].inputs.at(0), "Add");
    if (!sum || nodes_[*sum].inputs.size() != 2) return std::nullopt;
    const bool first = !scope_.is_constant(nodes_[*sum].inputs[0]);
    const auto epsilon = scope_.number(nodes_[*sum].inputs[first ? 1 : 0]);
    const Found variance = maker(nodes_[*sum].inputs[first ? 0 : 1], "ReduceMean");
    if (!epsilon || !variance) return std::nullopt;
    Found square = maker(nodes_[*variance].inputs[0], "Pow");
    if (!square) square = maker(nodes_[*variance].inputs[0], "Mul");
    const auto name = square ? root_of(*square) : std::nullopt;
    if (!name) return std::nullopt;
    const Found difference = maker(*name, "Sub", nodes_[*square].op == "Mul" ? 3 : 2);
    if (!difference || nodes_[*difference].inputs.size() != 2) return std::nullopt;
    const Found mean = maker(nodes_[*difference].inputs[1], "ReduceMean");
    const std::string& x = nodes_[*difference].inputs[0];
    if (!mean || nodes_[*mean].inputs[0] != x) return std::nullopt;
    const auto dimensions = mean_of_last(*mean);
    if (!dimensions || mean_of_last(*variance) != dimensions) return std::nullopt;
    return Norm{
        {root, *sum, *variance, *square, *difference, *mean}, x, *name, *dimensions, *epsilon};
  }

  // With the weight that it is multiplied by, and the bias that is added.
  void fuse_layer_norm(std::size_t root) {
    auto norm = nodes_[root].inputs.size() == 1 ? norm_of(root) : std::nullopt;
    const Found quotient = norm ? only_reader(root, "Div") : std::nullopt;
    if (!quotient || nodes_[*quotient].inputs[0] != norm->difference) return;
    const Found scaling = only_reader(*quotient, "Mul");
    if (!scaling) return;
    const std::string weight = other_input(*scaling, nodes_[*quotient].outputs[0]);
    if (!scope_.is_constant(weight)) return;
    std::vector<std::string> inputs = {norm->x, weight};
    norm->parts.insert(norm->parts.end(), {*quotient, *scaling});
    std::size_t last = *scaling;
    const Found shift = only_reader(*scaling, "Add");
    if (shift && scope_.is_constant(other_input(*shift, nodes_[*scaling].outputs[0]))) {
      inputs.push_back(other_input(*shift, nodes_[*scaling].outputs[0]));
      last = *shift;
    }
    replace(norm->parts, last, "LayerNormalization", inputs,
            {{.name = "axis", .integer = -norm->dimensions},
             {.name = "epsilon", .number = static_cast<float>(norm->epsilon)}});
  }

  std::vector<OnnxNode> nodes_;
  OnnxScope& scope_;
  std::map<std::string, std::size_t> makers_;
  std::map<std::string, Readers> readers_;
  std::set<std::size_t> gone_;
};

}  // namespace

std::vector<OnnxNode> fused(std::vector<OnnxNode> nodes, OnnxScope& scope,
                            const std::string& output) {
  return Fusing(std::move(nodes), scope, output).fuse_all();
}

}  // namespace stint
