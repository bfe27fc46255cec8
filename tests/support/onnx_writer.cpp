#include "tests/support/onnx_writer.hpp"

#include <numeric>
#include <protozero/pbf_writer.hpp>
#include <type_traits>

namespace stint {
namespace {

using protozero::pbf_writer;

std::string tensor_start(const std::string& name, const OnnxDims& dims, int type) {
  std::string bytes;
  pbf_writer tensor(bytes);
  tensor.add_packed_int64(1, dims.begin(), dims.end());
  tensor.add_int32(2, type);
  tensor.add_string(8, name);
  return bytes;
}

void add_entry(pbf_writer& tensor, const char* key, const std::string& value) {
  pbf_writer entry(tensor, 13);
  entry.add_string(1, key);
  entry.add_string(2, value);
}

void add_dimension(pbf_writer& shape, std::int64_t size) {
  pbf_writer dimension(shape, 1);
  if (size == -1) {
    dimension.add_string(2, "N");
  } else {
    dimension.add_int64(1, size);
  }
}

void add_attribute(pbf_writer& node, const std::string& name, const AttributeValue& value) {
  pbf_writer attribute(node, 5);
  attribute.add_string(1, name);
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::int64_t>) attribute.add_int64(3, held);
        if constexpr (std::is_same_v<Held, float>) attribute.add_float(2, held);
        if constexpr (std::is_same_v<Held, std::string>) attribute.add_string(4, held);
        if constexpr (std::is_same_v<Held, TensorBytes>) attribute.add_message(5, held.bytes);
        if constexpr (std::is_same_v<Held, std::vector<std::int64_t>>)
          for (const std::int64_t number : held) attribute.add_int64(8, number);
      },
      value);
}

}  // namespace

TensorBytes float_tensor(const std::string& name, const OnnxDims& dims,
                         const std::vector<float>& values) {
  std::string bytes = tensor_start(name, dims, 1);
  pbf_writer(bytes).add_bytes(9, reinterpret_cast<const char*>(values.data()), values.size() * 4);
  return {bytes};
}

TensorBytes float_field_tensor(const std::string& name, const OnnxDims& dims,
                               const std::vector<float>& values) {
  std::string bytes = tensor_start(name, dims, 1);
  pbf_writer(bytes).add_packed_float(4, values.begin(), values.end());
  return {bytes};
}

TensorBytes int64_tensor(const std::string& name, const OnnxDims& dims,
                         const std::vector<std::int64_t>& values) {
  std::string bytes = tensor_start(name, dims, 7);
  pbf_writer(bytes).add_packed_int64(7, values.begin(), values.end());
  return {bytes};
}

TensorBytes external_tensor(const std::string& name, const OnnxDims& dims,
                            const std::string& location, const std::string& offset) {
  std::string bytes = tensor_start(name, dims, 1);
  pbf_writer tensor(bytes);
  add_entry(tensor, "location", location);
  add_entry(tensor, "offset", offset);
  tensor.add_int32(14, 1);
  return {bytes};
}

TensorBytes typed_tensor(const std::string& name, const OnnxDims& dims, int type) {
  return {tensor_start(name, dims, type)};
}

OnnxWriter& OnnxWriter::input(const std::string& name, const OnnxDims& dims, int type) {
  pbf_writer graph(graph_);
  pbf_writer value(graph, 11);
  value.add_string(1, name);
  pbf_writer kind(value, 2);
  pbf_writer tensor(kind, 1);
  tensor.add_int32(1, type);
  pbf_writer shape(tensor, 2);
  for (const std::int64_t size : dims) add_dimension(shape, size);
  return *this;
}

OnnxWriter& OnnxWriter::output(const std::string& name) {
  pbf_writer graph(graph_);
  pbf_writer(graph, 12).add_string(1, name);
  return *this;
}

OnnxWriter& OnnxWriter::tensor(const TensorBytes& tensor) {
  pbf_writer(graph_).add_message(5, tensor.bytes);
  return *this;
}

OnnxWriter& OnnxWriter::weight(const std::string& name, const OnnxDims& dims) {
  const auto count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies{});
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0F);
  return tensor(float_tensor(name, dims, values));
}

OnnxWriter& OnnxWriter::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return tensor(int64_tensor(name, {static_cast<std::int64_t>(values.size())}, values));
}

OnnxWriter& OnnxWriter::number(const std::string& name, float value) {
  return tensor(float_tensor(name, {}, {value}));
}

OnnxWriter& OnnxWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs,
                             const AttributeList& attributes, const std::string& domain) {
  pbf_writer graph(graph_);
  pbf_writer node(graph, 1);
  for (const std::string& name : inputs) node.add_string(1, name);
  for (const std::string& name : outputs) node.add_string(2, name);
  node.add_string(4, op);
  for (const auto& [name, value] : attributes) add_attribute(node, name, value);
  if (!domain.empty()) node.add_string(7, domain);
  return *this;
}

std::string OnnxWriter::bytes() const {
  std::string bytes;
  pbf_writer model(bytes);
  model.add_int64(1, 8);
  {
    pbf_writer set(model, 8);
    set.add_string(1, "");
    set.add_int64(2, opset_);
  }
  model.add_message(7, graph_);
  return bytes;
}

OnnxWriter started(const OnnxDims& x, std::int64_t opset) {
  OnnxWriter writer(opset);
  writer.input("x", x).weight("b", {x.begin() + 1, x.end()}).node("Add", {"x", "b"}, {"h"});
  return writer;
}

}  // namespace stint
