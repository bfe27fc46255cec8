#include "executor/cpu/dnn/plain_max_pool.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "executor/cpu/dnn/plain_pool.hpp"

namespace stint {
namespace {

template <typename Index>
class PlainMaxForward : public CpuKernel {
 public:
  explicit PlainMaxForward(PlainPool pool) : pool_(std::move(pool)) {}

  void run(const KernelArguments& arguments) override {
    const auto* input = reinterpret_cast<const float*>(arguments.reads[0]);
    auto* output = reinterpret_cast<float*>(arguments.writes[0]);
    auto* indices =
        arguments.writes.size() > 1 ? reinterpret_cast<Index*>(arguments.writes[1]) : nullptr;
    for_outputs(pool_, [&](std::int64_t at, std::int64_t channel, std::int64_t y, std::int64_t x) {
      float most = -std::numeric_limits<float>::infinity();
      std::int64_t most_index = -1;
      for_window(pool_, y, x, [&](std::int64_t index, std::int64_t offset) {
        const float value = input[channel + offset];
        if (most_index >= 0 && !(value > most) && !(std::isnan(value) && !std::isnan(most))) return;
        most = value;
        most_index = index;
      });
      output[at] = most;
      if (indices) indices[at] = static_cast<Index>(most_index);
    });
  }
  std::string algorithm() const override { return "plain max"; }

 private:
  PlainPool pool_;
};

template <typename Index>
class PlainMaxBackward : public CpuKernel {
 public:
  explicit PlainMaxBackward(PlainPool pool) : pool_(std::move(pool)) {}

  void run(const KernelArguments& arguments) override {
    const auto* indices = reinterpret_cast<const Index*>(arguments.reads[0]);
    const auto* dy = reinterpret_cast<const float*>(arguments.reads[1]);
    auto* dx = reinterpret_cast<float*>(arguments.writes[0]);
    const std::int64_t elements = pool_.input.shape[0] * strides_of(pool_.input).sample;
    std::memset(dx, 0, static_cast<std::size_t>(elements) * sizeof(float));
    const ImageStrides strides = strides_of(pool_.input);
    const PlainPool& layer = pool_;
    for_outputs(pool_, [&](std::int64_t at, std::int64_t channel, std::int64_t y, std::int64_t x) {
      const std::int64_t index = indices[at];
      const std::int64_t row =
          y * layer.stride[0] - layer.padding[0] + index / layer.kernel[1] * layer.dilation[0];
      const std::int64_t column =
          x * layer.stride[1] - layer.padding[1] + index % layer.kernel[1] * layer.dilation[1];
      dx[channel + row * strides.row + column * strides.column] += dy[at];
    });
  }
  std::string algorithm() const override { return "plain max"; }

 private:
  PlainPool pool_;
};

template <typename Index>
std::unique_ptr<CpuKernel> make(const TaskKernel& task, const MaxPool2d& layer) {
  if (task.op.ends_with(".forward"))
    return std::make_unique<PlainMaxForward<Index>>(
        pool_of(layer, layer.dilation, task.reads[0], task.writes[0]));
  return std::make_unique<PlainMaxBackward<Index>>(
      pool_of(layer, layer.dilation, task.writes[0], task.reads[1]));
}

}  // namespace

std::unique_ptr<CpuKernel> make_plain_max_pool(const TaskKernel& task, const MaxPool2d& layer) {
  if (layer.kernel[0] * layer.kernel[1] <= 256) return make<std::uint8_t>(task, layer);
  return make<std::int32_t>(task, layer);
}

}  // namespace stint
