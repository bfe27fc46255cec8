// How operands lie in memory, said in oneDNN's words.
#pragma once

#include "executor/cpu/dnn/dnn_kernel.hpp"
#include "models/layers/layer.hpp"

namespace stint {

// [samples, channels, height, width], as the operand lies.
dnnl::memory::desc image_form(const KernelOperand& image);
// The same image with its channels last, for which the library has its best convolutions.
dnnl::memory::desc channels_last_form(const KernelOperand& image);
// One dimension, a number per channel.
dnnl::memory::desc vector_form(const KernelOperand& vector);

// Of a window that slides: the padding it needs at the end of both axes follows from the sizes.
struct DnnWindow {
  dnnl::memory::dims kernel;
  dnnl::memory::dims stride;
  dnnl::memory::dims skipped;  // between two taps: dilation - 1
  dnnl::memory::dims padding_begin;
  dnnl::memory::dims padding_end;
};

template <typename Layer>
DnnWindow window_of(const Layer& layer, const Pair& dilation) {
  return {{layer.kernel[0], layer.kernel[1]},
          {layer.stride[0], layer.stride[1]},
          {dilation[0] - 1, dilation[1] - 1},
          {layer.padding[0], layer.padding[1]},
          {layer.padding[2], layer.padding[3]}};
}

}  // namespace stint
