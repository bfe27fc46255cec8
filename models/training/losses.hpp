// The loss, and the updates of parameters by the optimizer.
#pragma once

#include "models/training/builder.hpp"

namespace stint {

// The forward and the backward operation of the loss; the latter gives the prediction its gradient.
void emit_loss(const Loss& loss, ValueId prediction, ValueId label, TrainingBuilder& builder);

// The update of one parameter by its gradient, with the state that the optimizer keeps for it.
void emit_update(const Optimizer& optimizer, ValueId parameter, TrainingBuilder& builder);

}  // namespace stint
