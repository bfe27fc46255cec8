#include "executor/cpu/own/broadcasts.hpp"

#include <optional>

#include "executor/cpu/own/broadcast_shape.hpp"
#include "executor/cpu/own/channels.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

// run(at, learned_at) for each run of the innermost dimension, in memory order.
template <typename Run>
void walk_runs(std::span<const BroadcastDimension> dimensions, std::int64_t& at,
               std::int64_t learned_at, const Run& run) {
  const auto [size, stride] = dimensions.front();
  if (dimensions.size() == 1) {
    run(at, learned_at);
    at += size;
    return;
  }
  for (std::int64_t i = 0; i < size; ++i)
    walk_runs(dimensions.subspan(1), at, learned_at + i * stride, run);
}

template <typename Combine>
void combine_run(BroadcastDimension inner, const float* learned, const float* x, float* y,
                 Combine combine) {
  if (inner.stride == 0) {
    const Lanes same = splat(*learned);
    map_elements(inner.size, y, [=](auto load) { return combine(same, load(x)); });
  } else if (inner.stride == 1) {
    map_elements(inner.size, y, [=](auto load) { return combine(load(learned), load(x)); });
  } else {
    for (std::int64_t i = 0; i < inner.size; ++i) y[i] = combine(learned[i * inner.stride], x[i]);
  }
}

template <typename Combine>
std::unique_ptr<CpuKernel> make_combination(const TaskKernel& kernel, Combine combine) {
  const auto dimensions = broadcast_shape(kernel.reads[0], kernel.reads[1]);
  return loop_kernel([=](const KernelArguments& arguments) {
    const float* learned = read_at(arguments, 0);
    const float* x = read_at(arguments, 1);
    float* y = write_at(arguments, 0);
    std::int64_t begin = 0;
    walk_runs(dimensions, begin, 0, [&](std::int64_t at, std::int64_t learned_at) {
      combine_run(dimensions.back(), learned + learned_at, x + at, y + at, combine);
    });
  });
}

// The view in which the learned tensor is one number per channel, if there is one.
std::optional<ChannelView> view_by_channels(const BroadcastShape& dimensions) {
  if (dimensions.size() == 1 && dimensions[0].stride == 0)
    return ChannelView{.inner = dimensions[0].size};
  std::size_t i = 0;
  ChannelView view;
  if (dimensions[i].stride == 0) view.outer = dimensions[i++].size;
  if (dimensions[i].stride != 1) return std::nullopt;
  view.channels = dimensions[i++].size;
  if (i < dimensions.size() && dimensions[i].stride == 0) view.inner = dimensions[i++].size;
  return i == dimensions.size() ? std::optional(view) : std::nullopt;
}

// The sum of term(load) over the elements that each learned one reaches, wherever they are.
template <typename Term>
void sum_anywhere(const BroadcastShape& dimensions, float* gradient, Term term) {
  const BroadcastDimension inner = dimensions.back();
  std::int64_t begin = 0;
  walk_runs(dimensions, begin, 0, [&](std::int64_t at, std::int64_t learned_at) {
    for (std::int64_t i = 0; i < inner.size; ++i) {
      gradient[learned_at + i * inner.stride] +=
          term([at = at + i](const float* x) { return x[at]; });
    }
  });
}

template <typename Term>
void sum_by_channels(const ChannelView& view, float* gradient, Term term) {
  sum_channels<1>(
      view, [&](auto load, auto, std::int64_t) { return std::array{term(load)}; },
      [=](std::int64_t channel, std::array<double, 1> sum) {
        gradient[channel] = static_cast<float>(sum[0]);
      });
}

// An activation has numbers of its own for every sample, which are summed sample by sample.
std::int64_t samples_apart(const KernelOperand& smaller, const KernelOperand& larger) {
  const bool apart =
      smaller.shape.size() == larger.shape.size() && smaller.shape[0] == larger.shape[0];
  return apart ? smaller.shape[0] : 1;
}

KernelOperand one_of(KernelOperand operand, std::int64_t samples) {
  operand.shape[0] /= samples;
  return operand;
}

// The gradient of the smaller tensor; term_of(arguments, from) gives what is summed, from an
// element on.
template <typename TermOf>
std::unique_ptr<CpuKernel> make_gradient(const TaskKernel& kernel, TermOf term_of) {
  const std::int64_t samples = samples_apart(kernel.writes[0], kernel.reads[0]);
  const KernelOperand smaller = one_of(kernel.writes[0], samples);
  const KernelOperand larger = one_of(kernel.reads[0], samples);
  const auto dimensions = broadcast_shape(smaller, larger);
  return loop_kernel([=, view = view_by_channels(dimensions), count = element_count(smaller),
                      apart = element_count(larger)](const KernelArguments& arguments) {
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      float* gradient = write_at(arguments, 0) + sample * count;
      const auto term = term_of(arguments, sample * apart);
      if (view) {
        sum_by_channels(*view, gradient, term);
      } else {
        std::fill_n(gradient, count, 0.0F);
        sum_anywhere(dimensions, gradient, term);
      }
    }
  });
}

constexpr OwnKernel kernels[] = {{"bias.forward", make_broadcast_sum},
                                 {"bias.backward_weights", make_sums},
                                 {"scale.forward", make_broadcast_product},
                                 {"scale.backward_data", make_broadcast_product},
                                 {"scale.backward_weights", make_sums_of_products}};

}  // namespace

std::unique_ptr<CpuKernel> make_broadcast_sum(const TaskKernel& kernel) {
  return make_combination(kernel, [](auto b, auto x) { return x + b; });
}
std::unique_ptr<CpuKernel> make_broadcast_product(const TaskKernel& kernel) {
  return make_combination(kernel, [](auto w, auto x) { return w * x; });
}

std::unique_ptr<CpuKernel> make_sums(const TaskKernel& kernel) {
  return make_gradient(kernel, [](const KernelArguments& arguments, std::int64_t from) {
    return [dy = read_at(arguments, 0) + from](auto load) { return load(dy); };
  });
}
std::unique_ptr<CpuKernel> make_sums_of_products(const TaskKernel& kernel) {
  return make_gradient(kernel, [](const KernelArguments& arguments, std::int64_t from) {
    return [x = read_at(arguments, 0) + from, dy = read_at(arguments, 1) + from](auto load) {
      return load(x) * load(dy);
    };
  });
}

OwnKernels broadcast_kernels() { return kernels; }

}  // namespace stint
