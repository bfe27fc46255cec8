// What the names of an ONNX graph stand for, as far as it has been read, and what a node reads by
// them. Tensors of the file are looked at when a node asks for them, and only by their dimensions
// unless it needs their numbers.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/onnx/proto.hpp"
#include "models/onnx/values.hpp"

namespace stint {

// An operator in a form that we do not read; says which. Collected, and told with all others.
struct OnnxUnsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// More integers than any shape, list of axes or table of sizes has; others are not followed.
inline constexpr std::int64_t most_integers = 1024;

class OnnxScope {
 public:
  // The graph must outlive the scope; `file` is for messages and external data.
  OnnxScope(const OnnxGraph& graph, std::string file);

  const std::string& file() const { return file_; }

  void define(const std::string& name, OnnxValue value);
  const OnnxValue& value(const std::string& name);
  bool is_constant(const std::string& name) const;
  bool is_unknown(const std::string& name) const;

  // Input `index` of a node. Throws OnnxUnsupported if it is of another sort or not given.
  const OnnxValue& input(const OnnxNode& node, std::size_t index);
  const OnnxActivation& activation(const OnnxNode& node, std::size_t index);
  const OnnxConstant& constant(const OnnxNode& node, std::size_t index);
  const OnnxIntegers& dimensions(const OnnxNode& node, std::size_t index);
  std::vector<std::int64_t> integers(const OnnxNode& node, std::size_t index);
  bool is_activation(const OnnxNode& node, std::size_t index) const;
  std::vector<OnnxActivation> activations(const OnnxNode& node);  // all inputs

  // The number, if the input is a constant of one element.
  std::optional<double> number(const OnnxNode& node, std::size_t index);
  std::optional<double> number(const std::string& name);

  // A tensor of the file as a value; `origin` names it.
  OnnxValue value_of(const OnnxTensor& tensor, const std::string& origin) const;

  // Whether all numbers of a constant are the same.
  bool is_uniform(const OnnxConstant& constant) const;

 private:
  template <typename Sort>
  const Sort& input_of(const OnnxNode& node, std::size_t index, const char* what);

  std::string file_;
  std::map<std::string, const OnnxTensor*> initializers_;
  std::map<std::string, OnnxValue> values_;
};

bool has_input(const OnnxNode& node, std::size_t index);

// Axes or sizes that newer operator sets read as input `index`, older ones as an attribute; empty
// if neither is given.
std::vector<std::int64_t> list_of(OnnxScope& scope, const OnnxNode& node, std::string_view name,
                                  std::size_t index);

}  // namespace stint
