// Weights in the order in memory that kernels want, with explicit reorders where two kernels of one
// weight want different ones.
//
// State is kept in the order that most of its users want, the forward one on a tie; everyone else
// reads a reordered copy, and a gradient that comes in another order is reordered before its
// update. Optimizers work element by element, so they do not care. A weight that somebody uses
// otherwise, such as an embedding's, stays as listed, and so does a shard's (shard.hpp).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "models/training/training.hpp"

namespace stint {

// What the operation's kernel wants its weight, or the gradient of it, in; "" is as listed. Nothing
// if it takes whatever comes.
using WantedWeightOrder = std::function<std::optional<std::string>(const Operation&)>;

// Throws InputError if an order does not have as many elements as the weight.
void order_weights(const WantedWeightOrder& wanted, Training& training);

}  // namespace stint
