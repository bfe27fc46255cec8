// The network that an ONNX graph becomes, layer by layer, and where its parameters come from. A
// layer is named after the value it makes; where that name, or that of one of its parameters, means
// something else already, a number is appended.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/onnx/read_onnx.hpp"
#include "models/onnx/scope.hpp"

namespace stint {

// What a layer learns, "weight" or "bias", and where its first values are.
struct OnnxParameter {
  std::string name;
  OnnxConstant from;
  bool negated = false;
};

class OnnxBuilder {
 public:
  // `bytes` are the file's. Names of the graph's values are kept for these values.
  OnnxBuilder(const OnnxGraph& graph, std::string_view bytes);

  OnnxActivation add_input(const std::string& name, const Shape& shape, Element type);

  // Throws ShapeFault if shapes do not fit, OnnxUnsupported if a weight is shared in a way that
  // networks cannot say. `scope` tells the numbers of weights that are shared.
  OnnxActivation add(const OnnxScope& scope, const std::string& name, const LayerKind& kind,
                     const std::vector<OnnxActivation>& inputs,
                     const std::vector<OnnxParameter>& parameters = {});

  // A layer that makes several values: one for each name.
  std::vector<OnnxActivation> add_many(const std::vector<std::string>& names, const LayerKind& kind,
                                       const OnnxActivation& input);

  // The linear or embedding layer whose own weight this is; "": none.
  std::string layer_with_weight(const OnnxConstant& weight) const;

  // The layer that was added last, if there is one; and away with it.
  const Layer* last_layer() const;
  void drop_last_layer() { made_.network.layers.pop_back(); }

  // Everything so far that the loss depends on.
  OnnxModel finish(Loss loss) &&;

 private:
  struct Use {
    std::string layer;
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> shape;
    bool is_table;  // the weight of a linear or embedding layer
  };

  bool is_free(const std::string& name, const std::string& wanted) const;
  std::string free_name(const std::string& wanted) const;
  void note_parameter(const OnnxScope& scope, const Layer& layer, const Parameter& wanted,
                      const OnnxParameter& given);
  void note_use(const OnnxScope& scope, const Layer& layer, const OnnxParameter& given);

  std::string_view bytes_;
  std::set<std::string> reserved_;   // values of the graph
  std::set<std::string> taken_;      // values and parameters of the network
  std::map<std::string, Use> uses_;  // the first, by origin
  OnnxModel made_;
};

}  // namespace stint
