#include "models/onnx/translation.hpp"

namespace stint {

void OnnxTranslation::make(const OnnxNode& node, const LayerKind& kind,
                           const std::vector<OnnxActivation>& inputs,
                           const std::vector<OnnxParameter>& parameters) {
  refuse_other_outputs(node);
  const std::string& output = node.outputs.at(0);
  scope.define(output, builder.add(scope, output, kind, inputs, parameters));
}

OnnxActivation OnnxTranslation::make_before(const OnnxNode& node, const std::string& step,
                                            const LayerKind& kind, const OnnxActivation& input,
                                            const std::vector<OnnxParameter>& parameters) {
  return builder.add(scope, node.outputs.at(0) + "_" + step, kind, {input}, parameters);
}

void OnnxTranslation::pass(const OnnxNode& node, const OnnxValue& value) {
  refuse_other_outputs(node);
  scope.define(node.outputs.at(0), value);
}

void OnnxTranslation::refuse_other_outputs(const OnnxNode& node) const {
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (readers.contains(node.outputs[i]))
      throw OnnxUnsupported("whose output " + std::to_string(i) + " is used");
  }
}

const OnnxOperators& operators() {
  static const OnnxOperators all = [] {
    OnnxOperators table;
    for (auto part : {image_operators(), product_operators(), element_operators(), norm_operators(),
                      form_operators()}) {
      table.merge(part);
    }
    return table;
  }();
  return all;
}

}  // namespace stint
