// The loss that is put behind an ONNX graph, which ends where it predicts, and its labels.
#pragma once

#include "models/onnx/translation.hpp"

namespace stint {

// Cross-entropy takes logits: a last softmax over the classes is taken off, and [batch, classes, 1,
// 1] is flattened first. Adds the input "label" or "target". `must_drop`: the last layer stands for
// a softmax that is only right if it is taken off; throws OnnxUnsupported if it is not.
Loss loss_of(const OnnxActivation& output, OnnxLoss loss, bool must_drop, OnnxTranslation& t);

}  // namespace stint
