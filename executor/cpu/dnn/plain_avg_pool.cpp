#include "executor/cpu/dnn/plain_avg_pool.hpp"

#include <algorithm>

#include "executor/cpu/dnn/plain_pool.hpp"

namespace stint {
namespace {

// How much of the window at `at` lies inside the padded image, along one axis.
std::int64_t counted(const PlainPool& pool, int axis, std::int64_t at) {
  const std::int64_t begin = at * pool.stride[axis] - pool.padding[axis];
  const std::int64_t end = pool.input.shape[axis + 2] + pool.padding[axis + 2];
  return std::min(pool.kernel[axis], end - begin);
}

float divisor(const PlainPool& pool, std::int64_t y, std::int64_t x) {
  return static_cast<float>(counted(pool, 0, y) * counted(pool, 1, x));
}

class PlainAvgPool : public CpuKernel {
 public:
  PlainAvgPool(PlainPool pool, bool forward) : pool_(std::move(pool)), forward_(forward) {}

  void run(const KernelArguments& arguments) override {
    const auto* from = reinterpret_cast<const float*>(arguments.reads[0]);
    auto* to = reinterpret_cast<float*>(arguments.writes[0]);
    forward_ ? run_forward(from, to) : run_backward(from, to);
  }
  std::string algorithm() const override { return "plain mean"; }

 private:
  void run_forward(const float* x, float* y) const {
    for_outputs(
        pool_, [&](std::int64_t at, std::int64_t channel, std::int64_t row, std::int64_t column) {
          float sum = 0;
          for_window(pool_, row, column,
                     [&](std::int64_t, std::int64_t offset) { sum += x[channel + offset]; });
          y[at] = sum / divisor(pool_, row, column);
        });
  }

  void run_backward(const float* dy, float* dx) const {
    std::fill_n(dx, pool_.input.shape[0] * strides_of(pool_.input).sample, 0.0F);
    for_outputs(
        pool_, [&](std::int64_t at, std::int64_t channel, std::int64_t row, std::int64_t column) {
          const float share = dy[at] / divisor(pool_, row, column);
          for_window(pool_, row, column,
                     [&](std::int64_t, std::int64_t offset) { dx[channel + offset] += share; });
        });
  }

  PlainPool pool_;
  bool forward_;
};

}  // namespace

bool reaches_beyond_padding(const AvgPool2d& layer, const KernelOperand& input,
                            const KernelOperand& output) {
  const PlainPool pool = pool_of(layer, {1, 1}, input, output);
  return counted(pool, 0, output.shape[2] - 1) < layer.kernel[0] ||
         counted(pool, 1, output.shape[3] - 1) < layer.kernel[1];
}

std::unique_ptr<CpuKernel> make_plain_avg_pool(const TaskKernel& task, const AvgPool2d& layer) {
  const bool forward = task.op.ends_with(".forward");
  const KernelOperand& input = forward ? task.reads[0] : task.writes[0];
  const KernelOperand& output = forward ? task.writes[0] : task.reads[0];
  return std::make_unique<PlainAvgPool>(pool_of(layer, {1, 1}, input, output), forward);
}

}  // namespace stint
