// The messages of an .onnx file, as far as we read them: a model, its graph, nodes, attributes and
// tensors. Names are copied; the numbers of tensors stay where they are, as views of the file,
// which must outlive them. Graphs inside attributes (loops, branches) are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

// TensorProto.DataType, those that we name.
enum class OnnxType : std::int32_t {
  none = 0,
  float32 = 1,
  uint8 = 2,
  int32 = 6,
  int64 = 7,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  bfloat16 = 16,
};
std::string to_string(OnnxType type);

struct OnnxTensor {
  std::string name;
  std::vector<std::int64_t> dims;
  OnnxType type = OnnxType::none;
  std::string_view message;             // all of it
  std::optional<std::string_view> raw;  // raw_data; else the numbers are fields of the message
  bool external = false;                // … or in another file:
  std::string location;
  std::string offset;  // decimal digits, as the file has them
  std::string length;
};

struct OnnxAttribute {
  std::string name;
  float number = 0;
  std::int64_t integer = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::optional<OnnxTensor> tensor;
};

struct OnnxNode {
  std::string name;
  std::string op;  // with its domain, where that is not ONNX's own: "com.microsoft.FusedMatMul"
  std::vector<std::string> inputs;  // "" is an optional one that is not given
  std::vector<std::string> outputs;
  std::vector<OnnxAttribute> attributes;
};

struct OnnxDimension {
  std::optional<std::int64_t> value;
  std::string name;  // of a size that is left open
};

struct OnnxInput {
  std::string name;
  OnnxType type = OnnxType::none;
  std::optional<std::vector<OnnxDimension>> shape;
};

struct OnnxGraph {
  std::string name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxInput> inputs;
  std::vector<OnnxInput> outputs;
};

struct OnnxFile {
  std::int64_t ir_version = 0;
  std::int64_t opset = 0;  // of ONNX's own operators
  OnnxGraph graph;
};

// Throws InputError(file, …) unless the bytes are whole messages of the right kinds.
OnnxFile parse_messages(std::string_view bytes, const std::string& file);

// A tensor alone, from its message.
OnnxTensor parse_tensor(std::string_view message, const std::string& file);

// An attribute of a node, or what ONNX says it is when absent.
const OnnxAttribute* find_attribute(const OnnxNode& node, std::string_view name);
std::int64_t attribute(const OnnxNode& node, std::string_view name, std::int64_t otherwise);
std::vector<std::int64_t> attribute(const OnnxNode& node, std::string_view name,
                                    const std::vector<std::int64_t>& otherwise);
std::string attribute(const OnnxNode& node, std::string_view name, const char* otherwise);
double attribute(const OnnxNode& node, std::string_view name, double otherwise);

// The shortest decimal that is this float: 0.1, where the nearest double is 0.10000000149….
double as_written(float number);

}  // namespace stint
