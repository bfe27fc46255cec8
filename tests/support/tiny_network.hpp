// A network of a few layers, for tests of what is made of models of layers. Some names have dots.
#pragma once

#include "models/layers/network.hpp"

namespace stint {

// The text of its file: a convolution of 1×4×4 images by two filters of 3×3, a rectifier, and a
// linear layer with 3 classes; trained by SGD.
extern const char* const tiny_network_text;

Network tiny_network();

}  // namespace stint
