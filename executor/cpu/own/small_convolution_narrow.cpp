#include "executor/cpu/own/small_convolution_loops.hpp"

namespace stint {

SmallConvolutionLoops narrow_small_convolution() { return {convolve_leaf, convolve_leaf_back}; }

}  // namespace stint
