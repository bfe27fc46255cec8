// Normalisations.
#include "models/onnx/translation.hpp"

namespace stint {
namespace {

// ONNX's momentum is the weight of the old statistics, ours that of the new ones.
void batch_normalization(OnnxTranslation& t, const OnnxNode& node) {
  if (attribute(node, "spatial", std::int64_t{1}) != 1) throw OnnxUnsupported("with spatial 0");
  const double momentum = attribute(node, "momentum", 0.9);
  t.make(node,
         BatchNorm{attribute(node, "epsilon", 1e-5), as_written(static_cast<float>(1 - momentum))},
         {t.scope.activation(node, 0)},
         {{"weight", t.scope.constant(node, 1)},
          {"bias", t.scope.constant(node, 2)},
          {"running_mean", t.scope.constant(node, 3)},
          {"running_var", t.scope.constant(node, 4)}});
}

void layer_normalization(OnnxTranslation& t, const OnnxNode& node) {
  std::vector<OnnxParameter> parameters = {{"weight", t.scope.constant(node, 1)}};
  const bool bias = has_input(node, 2);
  if (bias) parameters.push_back({"bias", t.scope.constant(node, 2)});
  t.make(
      node,
      LayerNorm{attribute(node, "axis", std::int64_t{-1}), attribute(node, "epsilon", 1e-5), bias},
      {t.scope.activation(node, 0)}, parameters);
}

void local_response_normalization(OnnxTranslation& t, const OnnxNode& node) {
  t.make(node,
         LocalResponseNorm{attribute(node, "size", std::int64_t{0}), attribute(node, "alpha", 1e-4),
                           attribute(node, "beta", 0.75), attribute(node, "bias", 1.0)},
         {t.scope.activation(node, 0)});
}

}  // namespace

OnnxOperators norm_operators() {
  return {{"BatchNormalization", batch_normalization},
          {"LayerNormalization", layer_normalization},
          {"LRN", local_response_normalization}};
}

}  // namespace stint
