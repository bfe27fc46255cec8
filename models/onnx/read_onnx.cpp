#include "models/onnx/read_onnx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "files/input_error.hpp"
#include "models/onnx/faults.hpp"
#include "models/onnx/fusions.hpp"
#include "models/onnx/graph_inputs.hpp"
#include "models/onnx/loss_of.hpp"
#include "models/onnx/mapped_file.hpp"
#include "models/onnx/sorted_nodes.hpp"
#include "models/onnx/translation.hpp"

namespace stint {
namespace {

constexpr std::int64_t first_opset = 6;
constexpr std::int64_t last_opset = 28;

void check_version(const OnnxFile& model, const std::string& file) {
  if (model.ir_version < 1) throw InputError(file, "no IR version; expected an ONNX model");
  if (model.opset < first_opset || model.opset > last_opset)
    throw InputError(file, fmt::format("operator set {}; expected one from {} to {}", model.opset,
                                       first_opset, last_opset));
  if (model.graph.nodes.empty())
    throw InputError(file, "the graph has no nodes; expected at least one");
}

std::string output_of(const OnnxGraph& graph, const std::string& asked, const std::string& file) {
  if (graph.outputs.empty()) throw InputError(file, "the graph has no output; expected one");
  if (asked.empty()) return graph.outputs[0].name;
  for (const OnnxInput& output : graph.outputs) {
    if (output.name == asked) return asked;
  }
  throw InputError(file, in_quotes(asked) + " is no output of the graph; expected one that is");
}

class Reading {
 public:
  Reading(const OnnxFile& model, std::string_view bytes, const std::string& file,
          const OnnxOptions& options)
      : model_(model),
        options_(options),
        output_(output_of(model.graph, options.output, file)),
        t_{OnnxScope(model.graph, file), OnnxBuilder(model.graph, bytes), model.opset, {}, 0, {}} {}

  OnnxModel read() {
    std::vector<OnnxNode> nodes = sorted_nodes(model_.graph, output_, t_.scope.file());
    count_readers(nodes);
    add_graph_inputs(model_.graph, t_);
    fold_constants(nodes);
    nodes = fused(std::move(nodes), t_.scope, output_);
    count_readers(nodes);
    const bool ends_in_log = read_log_softmax_as_softmax(nodes);
    for (const OnnxNode& node : nodes) translate(node);
    faults_.report(t_.scope.file());
    return with_loss(ends_in_log);
  }

 private:
  void count_readers(const std::vector<OnnxNode>& nodes) {
    t_.readers.clear();
    for (const OnnxNode& node : nodes) {
      for (const std::string& name : node.inputs) ++t_.readers[name];
    }
    ++t_.readers[output_];
  }

  bool reads_only_constants(const OnnxNode& node) const {
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& name) {
      return name.empty() || t_.scope.is_constant(name);
    });
  }

  // Takes the nodes that depend on no activation, and computes them.
  void fold_constants(std::vector<OnnxNode>& nodes) {
    std::erase_if(nodes, [&](const OnnxNode& node) {
      if (!reads_only_constants(node)) return false;
      translate(node);
      return true;
    });
  }

  // Before cross-entropy both mean the same, as either is taken off.
  bool read_log_softmax_as_softmax(std::vector<OnnxNode>& nodes) const {
    if (nodes.empty() || options_.loss != OnnxLoss::cross_entropy) return false;
    OnnxNode& last = nodes.back();
    if (last.op != "LogSoftmax" || last.outputs != std::vector{output_}) return false;
    last.op = "Softmax";
    return true;
  }

  const OnnxOperator* operator_of(const OnnxNode& node) const {
    const bool folds_it = node.op == "Shape" || reads_only_constants(node);
    const OnnxOperators& table = folds_it ? folds() : operators();
    const auto found = table.find(node.op);
    return found == table.end() ? nullptr : &found->second;
  }

  // What cannot be read is counted, and what depends on it is only looked at for its operator.
  void translate(const OnnxNode& node) {
    if (!can_translate(node)) {
      for (const std::string& name : node.outputs) t_.scope.define(name, OnnxUnknown{});
    }
  }

  bool can_translate(const OnnxNode& node) {
    const bool is_known = folds().contains(node.op) || operators().contains(node.op);
    const bool reads_unknown =
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](const std::string& name) { return t_.scope.is_unknown(name); });
    if (reads_unknown && is_known) return false;
    if (const OnnxOperator* translator = operator_of(node)) return try_translate(node, *translator);
    ++faults_.operators[node.op];
    return false;
  }

  bool try_translate(const OnnxNode& node, const OnnxOperator& translator) {
    try {
      if (node.outputs.empty() || node.outputs[0].empty())
        throw OnnxUnsupported("without its first output");
      translator(t_, node);
      return true;
    } catch (const OnnxUnsupported& fault) {
      ++faults_.uses[node.op + " " + fault.what()];
    } catch (const ShapeFault& fault) {
      if (!faults_.first) faults_.first = to_string(node) + ": " + fault.what();
    }
    return false;
  }

  OnnxModel with_loss(bool ends_in_log) {
    const auto* output = std::get_if<OnnxActivation>(&t_.scope.value(output_));
    if (output == nullptr || output->type.element != Element::f32)
      throw InputError(t_.scope.file(),
                       "the output " + in_quotes(output_) +
                           " is not computed from inputs; expected floats that are");
    Loss loss = loss_of(*output, options_.loss, ends_in_log, t_);
    OnnxModel made = std::move(t_.builder).finish(std::move(loss));
    made.network.name = model_.graph.name;
    if (made.network.name.empty())
      made.network.name = std::filesystem::path(t_.scope.file()).stem().string();
    made.network.optimizer = options_.optimizer;
    return made;
  }

  const OnnxFile& model_;
  const OnnxOptions& options_;
  std::string output_;
  OnnxTranslation t_;
  OnnxFaults faults_;
};

}  // namespace

OnnxModel parse_onnx(std::string_view bytes, const std::string& file, const OnnxOptions& options) {
  const OnnxFile model = parse_messages(bytes, file);
  check_version(model, file);
  OnnxModel made = [&] {
    try {
      return Reading(model, bytes, file, options).read();
    } catch (const OnnxUnsupported& fault) {
      throw InputError(file, std::string("the graph is one ") + fault.what());
    } catch (const ShapeFault& fault) {
      throw InputError(file, fault.what());
    }
  }();
  try {
    check(made.network);
  } catch (const InputError& fault) {
    throw InputError(file, fault.what());
  }
  return made;
}

OnnxModel read_onnx(const std::string& path, const OnnxOptions& options) {
  return parse_onnx(MappedFile(path).bytes(), path, options);
}

}  // namespace stint
