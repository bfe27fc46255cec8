// Reverse-mode differentiation of a network: forward, loss, backward and update operations.
//
// Backward of data and of weights are operations of their own, and each reads no more than it
// needs: a rectifier its output or its input, whichever is kept anyway; the data gradient of a
// convolution no activation; a maximum its indices. Gradients of a value with several readers are
// summed pair by pair, the last reader's first. A parameter is updated as soon as nothing reads it
// any more. Views and sums with one term are no operations. Linear in the size of the network.
//
// Reference: Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.
#pragma once

#include "models/lowering.hpp"
#include "models/training/training.hpp"

namespace stint {

// `layout` is how images lie in memory; where a layer needs another order, a reorder stands before
// it. Throws InputError if the network is unsound.
Training differentiate(const Network& network, ImageLayout layout);

}  // namespace stint
