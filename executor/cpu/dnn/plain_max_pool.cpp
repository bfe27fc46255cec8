#include "executor/cpu/dnn/plain_max_pool.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace stint {
namespace {

// Steps from element to element of an image, along samples, channels, rows and columns.
struct Strides {
  std::int64_t sample, channel, row, column;
};

Strides strides_of(const KernelOperand& image) {
  const auto& s = image.shape;
  if (image.channels_last) return {s[1] * s[2] * s[3], 1, s[3] * s[1], s[1]};
  return {s[1] * s[2] * s[3], s[2] * s[3], s[3], 1};
}

struct Pool {
  MaxPool2d layer;
  KernelOperand input;
  KernelOperand output;
};

// The places of the window at (row, column) of the output that lie inside the input:
// visit(index in the window, offset in a channel of the input).
template <typename Visit>
void for_window(const Pool& pool, std::int64_t row, std::int64_t column, const Visit& visit) {
  const MaxPool2d& layer = pool.layer;
  const Strides strides = strides_of(pool.input);
  for (std::int64_t i = 0; i < layer.kernel[0]; ++i) {
    const std::int64_t y = row * layer.stride[0] - layer.padding[0] + i * layer.dilation[0];
    if (y < 0 || y >= pool.input.shape[2]) continue;
    for (std::int64_t j = 0; j < layer.kernel[1]; ++j) {
      const std::int64_t x = column * layer.stride[1] - layer.padding[1] + j * layer.dilation[1];
      if (x < 0 || x >= pool.input.shape[3]) continue;
      visit(i * layer.kernel[1] + j, y * strides.row + x * strides.column);
    }
  }
}

// Every output: visit(its offset, offset of its channel in the input, row, column).
template <typename Visit>
void for_outputs(const Pool& pool, const Visit& visit) {
  const auto& sizes = pool.output.shape;
  const Strides out = strides_of(pool.output);
  const Strides in = strides_of(pool.input);
  for (std::int64_t n = 0; n < sizes[0]; ++n)
    for (std::int64_t y = 0; y < sizes[2]; ++y)
      for (std::int64_t x = 0; x < sizes[3]; ++x)
        for (std::int64_t c = 0; c < sizes[1]; ++c)
          visit(n * out.sample + c * out.channel + y * out.row + x * out.column,
                n * in.sample + c * in.channel, y, x);
}

template <typename Index>
class PlainMaxForward : public CpuKernel {
 public:
  explicit PlainMaxForward(Pool pool) : pool_(std::move(pool)) {}

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
  Pool pool_;
};

template <typename Index>
class PlainMaxBackward : public CpuKernel {
 public:
  explicit PlainMaxBackward(Pool pool) : pool_(std::move(pool)) {}

  void run(const KernelArguments& arguments) override {
    const auto* indices = reinterpret_cast<const Index*>(arguments.reads[0]);
    const auto* dy = reinterpret_cast<const float*>(arguments.reads[1]);
    auto* dx = reinterpret_cast<float*>(arguments.writes[0]);
    const std::int64_t elements = pool_.input.shape[0] * strides_of(pool_.input).sample;
    std::memset(dx, 0, static_cast<std::size_t>(elements) * sizeof(float));
    const Strides strides = strides_of(pool_.input);
    const MaxPool2d& layer = pool_.layer;
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
  Pool pool_;
};

template <typename Index>
std::unique_ptr<CpuKernel> make(const TaskKernel& task, const MaxPool2d& layer) {
  if (task.op.ends_with(".forward"))
    return std::make_unique<PlainMaxForward<Index>>(Pool{layer, task.reads[0], task.writes[0]});
  return std::make_unique<PlainMaxBackward<Index>>(Pool{layer, task.writes[0], task.reads[1]});
}

}  // namespace

std::unique_ptr<CpuKernel> make_plain_max_pool(const TaskKernel& task, const MaxPool2d& layer) {
  if (layer.kernel[0] * layer.kernel[1] <= 256) return make<std::uint8_t>(task, layer);
  return make<std::int32_t>(task, layer);
}

}  // namespace stint
