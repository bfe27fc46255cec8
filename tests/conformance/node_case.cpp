#include "tests/conformance/node_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "models/onnx/tensor_data.hpp"
#include "tests/support/onnx_writer.hpp"

namespace stint {
namespace {

using protozero::pbf_writer;

constexpr int graph_field = 7;

bool has_numbers(OnnxType type) {
  return type == OnnxType::float32 || type == OnnxType::int32 || type == OnnxType::int64 ||
         type == OnnxType::boolean;
}

std::vector<double> values_of(const OnnxTensor& tensor, const std::string& file) {
  if (!has_numbers(tensor.type)) return {};
  if (tensor.type == OnnxType::float32) {
    const auto numbers = floats_of(tensor, file);
    return {numbers.begin(), numbers.end()};
  }
  const auto numbers = integers_of(tensor, file);
  return {numbers.begin(), numbers.end()};
}

void read_tensors(const std::filesystem::path& folder, const char* kind,
                  const std::vector<OnnxInput>& wanted, std::vector<CaseTensor>& tensors) {
  tensors.resize(wanted.size());  // tensors look at their own bytes: they must not move
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string file = (folder / fmt::format("{}_{}.pb", kind, i)).string();
    tensors[i].name = wanted[i].name;
    if (wanted[i].type == OnnxType::none) continue;  // sequences, optional ones
    tensors[i].bytes = read_text(file);
    tensors[i].tensor = parse_tensor(tensors[i].bytes, file);
    tensors[i].values = values_of(tensors[i].tensor, file);
  }
}

// Inputs that the file gives no values for.
std::vector<OnnxInput> open_inputs(const OnnxGraph& graph) {
  std::vector<OnnxInput> inputs = graph.inputs;
  std::erase_if(inputs, [&](const OnnxInput& input) {
    return std::any_of(graph.initializers.begin(), graph.initializers.end(),
                       [&](const OnnxTensor& tensor) { return tensor.name == input.name; });
  });
  return inputs;
}

// The tensor under another name.
std::string renamed(const std::string& tensor, const std::string& name) {
  std::string bytes = tensor;
  pbf_writer(bytes).add_string(8, name);
  return bytes;
}

void add_node(pbf_writer& graph, const std::string& op, const std::vector<std::string>& inputs,
              const std::string& output, const std::vector<std::int64_t>& axes = {}) {
  pbf_writer node(graph, 1);
  for (const std::string& name : inputs) node.add_string(1, name);
  node.add_string(2, output);
  node.add_string(4, op);
  if (axes.empty()) return;
  pbf_writer attribute(node, 5);
  attribute.add_string(1, "axes");
  for (const std::int64_t axis : axes) attribute.add_int64(8, axis);
}

// [..., n] as [..., n, 1], and each of these numbers times two weights.
void add_probe(pbf_writer& graph, const std::string& value, std::size_t rank, std::size_t output,
               std::int64_t opset) {
  const std::string probe = probe_name(output);
  const std::vector<std::int64_t> axes = {static_cast<std::int64_t>(rank)};
  graph.add_message(5, float_tensor(probe + "_weight", {1, 2}, {1, 2}).bytes);
  if (opset < 13) {
    add_node(graph, "Unsqueeze", {value}, probe + "_column", axes);
  } else {
    graph.add_message(5, int64_tensor(probe + "_axes", {1}, axes).bytes);
    add_node(graph, "Unsqueeze", {value, probe + "_axes"}, probe + "_column");
  }
  add_node(graph, "MatMul", {probe + "_column", probe + "_weight"}, probe);
}

// All probes in one prediction.
void add_prediction(pbf_writer& graph, std::size_t outputs) {
  pbf_writer prediction(graph, 1);
  for (std::size_t i = 0; i < outputs; ++i) prediction.add_string(1, probe_name(i) + "_flat");
  prediction.add_string(2, prediction_name(outputs));
  prediction.add_string(4, "Concat");
  pbf_writer axis(prediction, 5);
  axis.add_string(1, "axis");
  axis.add_int64(3, 1);
}

std::string graph_with_probes(const NodeCase& of, std::string bytes,
                              const std::vector<bool>& is_activation, std::size_t count) {
  pbf_writer graph(bytes);
  for (std::size_t i = 0; i < of.inputs.size(); ++i) {
    if (!is_activation[i]) graph.add_message(5, renamed(of.inputs[i].bytes, of.inputs[i].name));
  }
  const auto& outputs = of.model.graph.outputs;
  for (std::size_t i = 0; i < count; ++i) {
    add_probe(graph, outputs[i].name, of.outputs[i].tensor.dims.size(), i, of.model.opset);
    if (count > 1) add_node(graph, "Flatten", {probe_name(i)}, probe_name(i) + "_flat");
  }
  if (count > 1) add_prediction(graph, count);
  pbf_writer(graph, 12).add_string(1, prediction_name(count));
  return bytes;
}

// A test is written for the set in which its operator last changed; the sixth is our first.
std::string operator_set(std::int64_t version) {
  std::string bytes;
  pbf_writer set(bytes);
  set.add_string(1, "");
  set.add_int64(2, std::max<std::int64_t>(version, 6));
  return bytes;
}

}  // namespace

std::string probe_name(std::size_t output) { return fmt::format("probe{}", output); }

std::string prediction_name(std::size_t outputs) { return outputs > 1 ? "probed" : probe_name(0); }

void read_case(const std::filesystem::path& folder, NodeCase& read) {
  read.name = folder.filename().string();
  const std::string file = (folder / "model.onnx").string();
  read.bytes = read_text(file);
  read.model = parse_messages(read.bytes, file);
  read_tensors(folder / "test_data_set_0", "input", open_inputs(read.model.graph), read.inputs);
  read_tensors(folder / "test_data_set_0", "output", read.model.graph.outputs, read.outputs);
}

std::string bound_model(const NodeCase& of, const std::vector<bool>& is_activation,
                        std::size_t outputs) {
  std::string bytes;
  pbf_writer model(bytes);
  protozero::pbf_reader fields(of.bytes);
  while (fields.next()) {
    if (fields.tag() == graph_field) {
      model.add_message(graph_field,
                        graph_with_probes(of, fields.get_bytes(), is_activation, outputs));
    } else {
      fields.skip();
    }
  }
  model.add_int64(1, of.model.ir_version);
  model.add_message(8, operator_set(of.model.opset));
  return bytes;
}

}  // namespace stint
