#include "tests/conformance/case_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "files/input_error.hpp"
#include "models/onnx/forms.hpp"
#include "models/onnx/translation.hpp"
#include "tests/support/network_steps.hpp"

namespace stint {
namespace {

using Values = std::vector<double>;
using Dims = std::vector<std::int64_t>;

// ONNX's own tests allow 1e-3 of a number, and 1e-7.
constexpr double relative_tolerance = 2e-5;
constexpr double absolute_tolerance = 1e-6;

bool is_close(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  return found == expected ||
         std::abs(found - expected) <= absolute_tolerance + relative_tolerance * std::abs(expected);
}

// Nothing if they agree.
void compare(const std::string& what, const Dims& dims, const Values& found,
             const CaseTensor& expected, std::vector<std::string>& differences) {
  if (expected.values.empty()) differences.push_back(what + ": a type that networks have not");
  if (dims != expected.tensor.dims) {
    differences.push_back(
        fmt::format("{}: shape {}; expected {}", what, dims, expected.tensor.dims));
    return;
  }
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (is_close(found.at(i), expected.values[i])) continue;
    differences.push_back(
        fmt::format("{}: element {} is {}; expected {}", what, i, found[i], expected.values[i]));
    return;
  }
}

std::int64_t batch_of(const NodeCase& test, const std::vector<bool>& is_activation) {
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    if (is_activation[i]) return test.inputs[i].tensor.dims[0];
  }
  return 1;
}

TensorId tensor_named(const Graph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].name == name) return static_cast<TensorId>(i);
  }
  return no_tensor;
}

// A network made of a case, and its forward pass by references and kernels.
class CaseStep {
 public:
  CaseStep(const NodeCase& test, const std::vector<bool>& is_activation, const std::string& bytes,
           const OnnxModel& model, const Lowering& lowering)
      : lowered_(lower_with_kernels(model.network, lowering)),
        reference_(lowered_, 1),
        kernels_(lowered_) {
    for (std::size_t i = 0; i < test.inputs.size(); ++i) {
      if (is_activation[i]) set(test.inputs[i].name, test.inputs[i].values);
    }
    for (const WeightSource& source : model.weights) {
      const auto values = initial_values(bytes, test.name, source);
      set(source.parameter, {values.begin(), values.end()});
    }
    copy_given(lowered_, reference_, kernels_);
  }

  void run() {
    for (std::size_t i = 0; i < lowered_.graph.tasks.size(); ++i) {
      if (lowered_.graph.tasks[i].phase != Phase::forward) continue;
      reference_.run(static_cast<TaskId>(i));
      kernels_.run(static_cast<TaskId>(i));
    }
  }

  void compare_output(std::size_t output, const CaseTensor& expected, const std::string& layout,
                      std::vector<std::string>& differences) {
    for (std::size_t i = 0; i < lowered_.graph.tasks.size(); ++i) {
      if (lowered_.graph.tasks[i].name != probe_name(output) + ".forward") continue;
      const KernelOperand& operand = lowered_.kernels[i].reads[0];
      const TensorId tensor = lowered_.graph.tasks[i].reads[operand.place];
      const Dims dims(operand.shape.begin(), operand.shape.end() - 1);
      compare("reference, " + layout, dims, reference_.values(tensor), expected, differences);
      compare("kernels, " + layout, dims, kernels_.values(tensor, Element::f32), expected,
              differences);
      return;
    }
    differences.push_back("nothing computes the output");
  }

 private:
  void set(const std::string& name, const Values& values) {
    const TensorId tensor = tensor_named(lowered_.graph, name);
    if (tensor == no_tensor) return;  // nobody reads it
    for (std::size_t i = 0; i < values.size(); ++i) reference_.set(tensor, i, values[i]);
  }

  LoweredNetwork lowered_;
  ReferenceStep reference_;
  KernelStep kernels_;
};

// As a list of numbers with its shape.
struct Folded {
  Dims dims;
  Values values;
};

Folded folded(const OnnxIntegers& integers, std::int64_t batch) {
  Folded result{integers.shape, {}};
  for (const Dimension number : integers.numbers)
    result.values.push_back(static_cast<double>(number.at(batch)));
  return result;
}

Folded folded(const OnnxConstant& constant, const std::string& bytes, const std::string& file) {
  WeightSource source{.parameter = constant.origin, .shape = constant.shape, .fill = constant.fill};
  if (!constant.message.empty()) {
    source.initializer = constant.origin;
    source.stored = constant.stored;
    source.order = constant.order;
    source.position = static_cast<std::size_t>(constant.message.data() - bytes.data());
    source.bytes = constant.message.size();
  }
  const auto values = initial_values(bytes, file, source);
  return {constant.shape, {values.begin(), values.end()}};
}

// The node's first output, as the reader computes it.
OnnxValue fold(const NodeCase& test, const std::vector<bool>& is_activation, const OnnxFile& model,
               const std::string& bytes) {
  OnnxTranslation t{
      OnnxScope(model.graph, test.name), OnnxBuilder(model.graph, bytes), model.opset, {}, 0, {}};
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    if (!is_activation[i]) continue;
    Shape shape = shape_of(test.inputs[i].tensor.dims);
    shape[0] = batch_dimension;
    const std::string& name = test.inputs[i].name;
    t.scope.define(name, t.builder.add_input(name, shape, Element::f32));
  }
  const OnnxNode& node = model.graph.nodes[0];
  folds().at(node.op)(t, node);
  return t.scope.value(node.outputs[0]);
}

}  // namespace

bool is_folded(const NodeCase& test, const std::vector<bool>& is_activation) {
  return std::none_of(is_activation.begin(), is_activation.end(), [](bool is) { return is; }) ||
         test.model.graph.nodes[0].op == "Shape";
}

std::vector<std::string> differences_of_fold(const NodeCase& test,
                                             const std::vector<bool>& is_activation) {
  if (test.model.graph.nodes.size() != 1 || !folds().contains(test.model.graph.nodes[0].op))
    throw InputError(test.name, "not computed while reading");
  const std::string bytes = bound_model(test, is_activation, 1);
  const OnnxFile model = parse_messages(bytes, test.name);
  const Folded found = [&] {
    try {
      const OnnxValue value = fold(test, is_activation, model, bytes);
      if (const auto* integers = std::get_if<OnnxIntegers>(&value))
        return folded(*integers, batch_of(test, is_activation));
      return folded(std::get<OnnxConstant>(value), bytes, test.name);
    } catch (const OnnxUnsupported& fault) {
      throw InputError(test.name, fault.what());
    } catch (const ShapeFault& fault) {
      throw InputError(test.name, fault.what());
    }
  }();
  std::vector<std::string> differences;
  compare("folded", found.dims, found.values, test.outputs.at(0), differences);
  return differences;
}

std::vector<std::string> differences_of_network(const NodeCase& test,
                                                const std::vector<bool>& is_activation,
                                                std::size_t outputs) {
  const std::string bytes = bound_model(test, is_activation, outputs);
  const OnnxModel model =
      parse_onnx(bytes, test.name, {.loss = OnnxLoss::mse, .output = prediction_name(outputs)});
  std::vector<std::string> differences;
  for (const ImageLayout layout : {ImageLayout::nhwc, ImageLayout::nchw}) {
    try {
      CaseStep step(test, is_activation, bytes, model,
                    {.batch = batch_of(test, is_activation), .layout = layout});
      step.run();
      for (std::size_t i = 0; i < outputs; ++i)
        step.compare_output(i, test.outputs[i], to_string(layout), differences);
    } catch (const std::exception& fault) {
      differences.push_back(to_string(layout) + ": " + fault.what());
    }
  }
  return differences;
}

}  // namespace stint
