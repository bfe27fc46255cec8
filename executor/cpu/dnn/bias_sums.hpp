// Gradients of biases, where oneDNN has none or is slow: the sum over all outputs of a channel, in
// double precision and in the order of memory, so that the bits are the same everywhere.
#pragma once

#include "executor/cpu/dnn/dnn_kernel.hpp"

namespace stint {

// A backward_weights kernel that reads the gradient of the output second, and writes that of the
// bias second, if there is one.
class DnnKernelWithBias : public DnnKernel {
 public:
  // `axis` of the channels in the task's second read.
  DnnKernelWithBias(const TaskKernel& task, std::size_t axis);

  void run(const KernelArguments& arguments) override;

 private:
  bool has_bias_;
  std::int64_t rows_ = 1;
  std::int64_t channels_ = 1;
  std::int64_t pixels_ = 1;  // of one channel that lie side by side
};

}  // namespace stint
