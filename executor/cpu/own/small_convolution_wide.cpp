#include "executor/cpu/own/small_convolution_loops.hpp"

namespace stint {

SmallConvolutionLoops wide_small_convolution() { return {convolve_leaf, convolve_leaf_back}; }

}  // namespace stint
