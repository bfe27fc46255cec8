// Softmax along any dimension: rows that lie side by side are reduced along lanes, others lane by
// lane.
#include <cmath>

#include "executor/cpu/own/lane_functions.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

void softmax_row(std::int64_t length, const float* x, float* y) {
  float largest = x[0];
  std::int64_t i = 0;
  if (length >= lane_count) {
    Lanes largest_lanes = load_lanes(x);
    for (i = lane_count; i + lane_count <= length; i += lane_count)
      largest_lanes = larger_of(load_lanes(x + i), largest_lanes);
    largest = largest_of(largest_lanes);
  }
  for (; i < length; ++i) largest = x[i] > largest || x[i] != x[i] ? x[i] : largest;
  map_elements(length, y, [=](auto load) { return exponential(load(x) - largest); });
  const auto sum = sum_elements<1>(length, [=](auto load) { return std::array{load(y)}; });
  const auto factor = static_cast<float>(1 / sum[0]);
  map_elements(length, y, [=](auto load) { return load(y) * factor; });
}

// Elements `stride` apart, for up to 16 neighbouring columns.
void softmax_columns(std::int64_t length, std::int64_t stride, std::int64_t columns, const float* x,
                     float* y) {
  Lanes largest = load_lanes(x, columns);
  for (std::int64_t i = 1; i < length; ++i)
    largest = larger_of(load_lanes(x + i * stride, columns), largest);
  Lanes sum{};
  for (std::int64_t i = 0; i < length; ++i) {
    const Lanes power = exponential(load_lanes(x + i * stride, columns) - largest);
    sum += power;
    store_lanes(y + i * stride, power, columns);
  }
  const Lanes factor = 1.0F / sum;
  for (std::int64_t i = 0; i < length; ++i)
    store_lanes(y + i * stride, load_lanes(y + i * stride, columns) * factor, columns);
}

void gradient_row(std::int64_t length, const float* y, const float* dy, float* dx) {
  const auto sums =
      sum_elements<1>(length, [=](auto load) { return std::array{load(y) * load(dy)}; });
  const auto sum = static_cast<float>(sums[0]);
  map_elements(length, dx, [=](auto load) { return load(y) * (load(dy) - sum); });
}

void gradient_columns(std::int64_t length, std::int64_t stride, std::int64_t columns,
                      const float* y, const float* dy, float* dx) {
  Lanes sum{};
  for (std::int64_t at = 0; at < length * stride; at += stride)
    sum += load_lanes(y + at, columns) * load_lanes(dy + at, columns);
  for (std::int64_t at = 0; at < length * stride; at += stride) {
    const Lanes gradient = load_lanes(y + at, columns) * (load_lanes(dy + at, columns) - sum);
    store_lanes(dx + at, gradient, columns);
  }
}

// row(at) for each row of neighbours, or columns(at, count) for up to 16 columns at a time.
template <typename Row, typename Columns>
void visit_rows(const ChannelView& view, Row row, Columns columns) {
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    const std::int64_t at = outer * view.channels * view.inner;
    if (view.inner == 1) {
      row(at);
      continue;
    }
    for (std::int64_t first = 0; first < view.inner; first += lane_count)
      columns(at + first, std::min(lane_count, view.inner - first));
  }
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const ChannelView view = view_around(kernel.reads[0], layer_of<Softmax>(kernel).axis);
  return loop_kernel([view](const KernelArguments& arguments) {
    const float* x = read_at(arguments, 0);
    float* y = write_at(arguments, 0);
    visit_rows(
        view, [=](std::int64_t at) { softmax_row(view.channels, x + at, y + at); },
        [=](std::int64_t at, std::int64_t count) {
          softmax_columns(view.channels, view.inner, count, x + at, y + at);
        });
  });
}

std::unique_ptr<CpuKernel> make_backward(const TaskKernel& kernel) {
  const ChannelView view = view_around(kernel.reads[0], layer_of<Softmax>(kernel).axis);
  return loop_kernel([view](const KernelArguments& arguments) {
    const float* y = read_at(arguments, 0);
    const float* dy = read_at(arguments, 1);
    float* dx = write_at(arguments, 0);
    visit_rows(
        view, [=](std::int64_t at) { gradient_row(view.channels, y + at, dy + at, dx + at); },
        [=](std::int64_t at, std::int64_t count) {
          gradient_columns(view.channels, view.inner, count, y + at, dy + at, dx + at);
        });
  });
}

constexpr OwnKernel kernels[] = {{"softmax.forward", make_forward},
                                 {"softmax.backward", make_backward}};

}  // namespace

OwnKernels softmax_kernels() { return kernels; }

}  // namespace stint
