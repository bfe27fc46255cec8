#include "models/onnx/proto.hpp"

#include <functional>
#include <protozero/pbf_reader.hpp>

#include "files/input_error.hpp"
#include "models/onnx/utf8.hpp"
#include "models/onnx/wire_types.hpp"

namespace stint {
namespace {

using Message = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

// Field numbers of onnx.proto.
namespace field {
enum Model { ir_version = 1, graph = 7, opset_import = 8 };
enum OperatorSet { set_domain = 1, set_version = 2 };
enum Graph { node = 1, graph_name = 2, initializer = 5, graph_input = 11, graph_output = 12 };
enum Node { input = 1, output = 2, node_name = 3, op_type = 4, node_attribute = 5, domain = 7 };
enum Attribute { attribute_name = 1, f = 2, i = 3, s = 4, t = 5, ints = 8 };
enum Tensor { dims = 1, data_type = 2, name = 8, raw_data = 9, external_data = 13, location = 14 };
enum Entry { key = 1, value = 2 };
enum ValueInfo { value_name = 1, value_type = 2 };
enum Type { tensor_type = 1 };
enum TensorType { elem_type = 1, shape = 2 };
enum TensorShape { dim = 1 };
enum Dim { dim_value = 1, dim_param = 2 };
}  // namespace field

std::string_view bytes(Message& message) {
  expect_wire(message, Wire::length_delimited);
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

Message child(Message& message) {
  expect_wire(message, Wire::length_delimited);
  return message.get_message();
}

std::int64_t integer(Message& message) {
  expect_wire(message, Wire::varint);
  return message.get_int64();
}

// A name: what our own files could hold as well.
std::string word(Message& message) {
  const std::string_view text = bytes(message);
  if (!is_plain_utf8(text)) throw protozero::exception();
  return std::string(text);
}

void append_integers(Message& message, std::vector<std::int64_t>& list) {
  if (message.wire_type() == Wire::varint) return list.push_back(message.get_int64());
  expect_wire(message, Wire::length_delimited);
  for (const std::int64_t number : message.get_packed_int64()) list.push_back(number);
}

// Calls `read` for each field, with its number; it says whether it took the field.
void each_field(Message message, const std::function<bool(Message&)>& read) {
  while (message.next()) {
    if (!read(message)) message.skip();
  }
}

void read_external(Message message, OnnxTensor& tensor) {
  std::string key;
  std::string value;
  each_field(message, [&](Message& m) {
    if (m.tag() == field::key) return key = word(m), true;
    if (m.tag() == field::value) return value = word(m), true;
    return false;
  });
  if (key == "location") tensor.location = value;
  if (key == "offset") tensor.offset = value;
  if (key == "length") tensor.length = value;
}

OnnxTensor read_tensor(std::string_view message) {
  OnnxTensor tensor{.message = message};
  each_field(Message(message.data(), message.size()), [&](Message& m) {
    switch (m.tag()) {
      case field::dims:
        return append_integers(m, tensor.dims), true;
      case field::data_type:
        return tensor.type = static_cast<OnnxType>(integer(m)), true;
      case field::name:
        return tensor.name = word(m), true;
      case field::raw_data:
        return tensor.raw = bytes(m), true;
      case field::external_data:
        return read_external(child(m), tensor), true;
      case field::location:
        return tensor.external = integer(m) == 1, true;
      default:
        return false;
    }
  });
  return tensor;
}

OnnxAttribute read_attribute(Message message) {
  OnnxAttribute attribute;
  each_field(message, [&](Message& m) {
    switch (m.tag()) {
      case field::attribute_name:
        return attribute.name = word(m), true;
      case field::f:
        expect_wire(m, Wire::fixed32);
        return attribute.number = m.get_float(), true;
      case field::i:
        return attribute.integer = integer(m), true;
      case field::s:
        return attribute.text = bytes(m), true;
      case field::t:
        return attribute.tensor = read_tensor(bytes(m)), true;
      case field::ints:
        return append_integers(m, attribute.integers), true;
      default:
        return false;
    }
  });
  return attribute;
}

OnnxNode read_node(Message message) {
  OnnxNode node;
  std::string domain;
  each_field(message, [&](Message& m) {
    switch (m.tag()) {
      case field::input:
        return node.inputs.push_back(word(m)), true;
      case field::output:
        return node.outputs.push_back(word(m)), true;
      case field::node_name:
        return node.name = word(m), true;
      case field::op_type:
        return node.op = word(m), true;
      case field::node_attribute:
        return node.attributes.push_back(read_attribute(child(m))), true;
      case field::domain:
        return domain = word(m), true;
      default:
        return false;
    }
  });
  if (!domain.empty() && domain != "ai.onnx") node.op = domain + "." + node.op;
  return node;
}

OnnxDimension read_dimension(Message message) {
  OnnxDimension dimension;
  each_field(message, [&](Message& m) {
    if (m.tag() == field::dim_value) return dimension.value = integer(m), true;
    if (m.tag() == field::dim_param) return dimension.name = word(m), true;
    return false;
  });
  return dimension;
}

std::vector<OnnxDimension> read_shape(Message message) {
  std::vector<OnnxDimension> shape;
  each_field(message, [&](Message& m) {
    if (m.tag() != field::dim) return false;
    return shape.push_back(read_dimension(child(m))), true;
  });
  return shape;
}

void read_type(Message message, OnnxInput& input) {
  each_field(message, [&](Message& m) {
    if (m.tag() == field::elem_type) return input.type = static_cast<OnnxType>(integer(m)), true;
    if (m.tag() == field::shape) return input.shape = read_shape(child(m)), true;
    return false;
  });
}

OnnxInput read_value_info(Message message) {
  OnnxInput input;
  each_field(message, [&](Message& m) {
    if (m.tag() == field::value_name) return input.name = word(m), true;
    if (m.tag() != field::value_type) return false;
    each_field(child(m), [&](Message& type) {
      return type.tag() == field::tensor_type && (read_type(child(type), input), true);
    });
    return true;
  });
  return input;
}

OnnxGraph read_graph_message(Message message) {
  OnnxGraph graph;
  each_field(message, [&](Message& m) {
    switch (m.tag()) {
      case field::node:
        return graph.nodes.push_back(read_node(child(m))), true;
      case field::graph_name:
        return graph.name = word(m), true;
      case field::initializer:
        return graph.initializers.push_back(read_tensor(bytes(m))), true;
      case field::graph_input:
        return graph.inputs.push_back(read_value_info(child(m))), true;
      case field::graph_output:
        return graph.outputs.push_back(read_value_info(child(m))), true;
      default:
        return false;
    }
  });
  return graph;
}

void read_operator_set(Message message, OnnxFile& model) {
  std::string domain;
  std::int64_t version = 0;
  each_field(message, [&](Message& m) {
    if (m.tag() == field::set_domain) return domain = word(m), true;
    if (m.tag() == field::set_version) return version = integer(m), true;
    return false;
  });
  if (domain.empty() || domain == "ai.onnx") model.opset = version;
}

// What protozero finds wrong, as bad input.
template <typename Read>
auto guarded(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const protozero::exception&) {
    throw InputError(file, "malformed or cut short; expected an ONNX model");
  }
}

}  // namespace

OnnxFile parse_messages(std::string_view bytes_of_file, const std::string& file) {
  return guarded(file, [&] {
    OnnxFile model;
    each_field(Message(bytes_of_file.data(), bytes_of_file.size()), [&](Message& m) {
      switch (m.tag()) {
        case field::ir_version:
          return model.ir_version = integer(m), true;
        case field::graph:
          return model.graph = read_graph_message(child(m)), true;
        case field::opset_import:
          return read_operator_set(child(m), model), true;
        default:
          return false;
      }
    });
    return model;
  });
}

OnnxTensor parse_tensor(std::string_view message, const std::string& file) {
  return guarded(file, [&] { return read_tensor(message); });
}

}  // namespace stint
