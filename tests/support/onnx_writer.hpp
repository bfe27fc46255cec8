// Writes small .onnx files for tests, message by message; nothing of what it writes is checked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stint {

using OnnxDims = std::vector<std::int64_t>;  // -1: left open

// The bytes of a TensorProto.
struct TensorBytes {
  std::string bytes;
};
TensorBytes float_tensor(const std::string& name, const OnnxDims& dims,
                         const std::vector<float>& values);
TensorBytes float_field_tensor(const std::string& name, const OnnxDims& dims,
                               const std::vector<float>& values);  // not as raw bytes
TensorBytes int64_tensor(const std::string& name, const OnnxDims& dims,
                         const std::vector<std::int64_t>& values);
TensorBytes external_tensor(const std::string& name, const OnnxDims& dims,
                            const std::string& location, const std::string& offset);
TensorBytes typed_tensor(const std::string& name, const OnnxDims& dims, int type);  // no numbers

using AttributeValue =
    std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, TensorBytes>;
using AttributeList = std::vector<std::pair<std::string, AttributeValue>>;

class OnnxWriter {
 public:
  explicit OnnxWriter(std::int64_t opset = 17) : opset_(opset) {}

  OnnxWriter& input(const std::string& name, const OnnxDims& dims, int type = 1);
  OnnxWriter& output(const std::string& name);
  OnnxWriter& tensor(const TensorBytes& tensor);
  OnnxWriter& weight(const std::string& name, const OnnxDims& dims);  // 1, 2, 3, …
  OnnxWriter& integers(const std::string& name, const std::vector<std::int64_t>& values);
  OnnxWriter& number(const std::string& name, float value);
  OnnxWriter& node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const AttributeList& attributes = {},
                   const std::string& domain = "");
  std::string bytes() const;

 private:
  std::int64_t opset_;
  std::string graph_;
};

// A file that begins with a learned bias "b" on input "x", so that there is something to train:
// "h".
OnnxWriter started(const OnnxDims& x, std::int64_t opset = 17);

}  // namespace stint
