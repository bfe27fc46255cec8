// One pass over an ONNX graph: the scope of its names, the network so far, and what operators need
// to know besides. What each operator becomes is in operators_*.cpp, by the table operators();
// what is computed while reading, shapes and plain numbers above all, by the table folds().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/onnx/builder.hpp"
#include "models/onnx/scope.hpp"

namespace stint {

struct OnnxTranslation {
  OnnxScope scope;
  OnnxBuilder builder;
  std::int64_t opset = 0;
  std::optional<std::int64_t> file_batch;  // for which the file's shapes were written, if fixed
  std::int64_t dropouts = 0;               // so far: each has a seed of its own
  std::map<std::string, int> readers;      // of each value

  // Adds the layer that makes a node's first output; no other output may be used.
  void make(const OnnxNode& node, const LayerKind& kind, const std::vector<OnnxActivation>& inputs,
            const std::vector<OnnxParameter>& parameters = {});

  // A layer on the way to a node's output, named after it.
  OnnxActivation make_before(const OnnxNode& node, const std::string& step, const LayerKind& kind,
                             const OnnxActivation& input,
                             const std::vector<OnnxParameter>& parameters = {});

  // The node's first output is this value.
  void pass(const OnnxNode& node, const OnnxValue& value);

  void refuse_other_outputs(const OnnxNode& node) const;
};

using OnnxOperator = std::function<void(OnnxTranslation&, const OnnxNode&)>;
using OnnxOperators = std::map<std::string, OnnxOperator, std::less<>>;

// From activations to layers, and from constants to constants.
const OnnxOperators& operators();
const OnnxOperators& folds();

// The parts of operators().
OnnxOperators image_operators();
OnnxOperators product_operators();
OnnxOperators element_operators();
OnnxOperators norm_operators();
OnnxOperators form_operators();

}  // namespace stint
