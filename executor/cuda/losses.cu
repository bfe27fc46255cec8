// Losses: each task's share of the mean over the whole step, added up in double precision. A label
// that is no class makes the loss and its gradient not a number.
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/exponential_sums.cuh"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "executor/cuda/listed_order.cuh"

namespace stint {
namespace {

// A row of classes for every label.
StridedRows label_rows(const TaskKernel& kernel) {
  const auto& loss = std::get<CrossEntropy>(std::get<LossKind>(kernel.origin));
  const ChannelView view = view_around(kernel.reads[0], loss.axis);
  return {view.outer, view.channels, view.inner};
}
double share_of(const TaskKernel& kernel, const StridedRows& sizes) {
  const auto per_sample = static_cast<double>(sizes.count()) / static_cast<double>(kernel.samples);
  return 1 / (per_sample * static_cast<double>(kernel.batch));
}

// One row: all labels.
struct CrossEntropyLoss {
  using Sum = OneSum;
  const float* prediction;
  const std::int32_t* labels;
  float* loss;
  StridedRows sizes;
  double share;
  __host__ __device__ double of_label(std::int64_t label) const {
    ExponentialSum all = of_nothing();
    for (std::int64_t c = 0; c < sizes.length; ++c) all = with(all, prediction[sizes.at(label, c)]);
    const std::int64_t right = labels[label];
    const bool known = right >= 0 && right < sizes.length;
    const float predicted = known ? prediction[sizes.at(label, right)] : NAN;
    return log(all.sum) + (static_cast<double>(all.largest) - static_cast<double>(predicted));
  }
  __host__ __device__ Sum sum(std::int64_t, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < sizes.count(); i += lanes_of_row) sum.a += of_label(i);
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t, Sum sum, int lane) const {
    if (lane == 0) *loss = static_cast<float>(sum.a * share);
  }
};
std::unique_ptr<LeafKernel> make_cross_entropy(const TaskKernel& kernel, const GpuQueue& queue) {
  const StridedRows sizes = label_rows(kernel);
  return gpu_kernel([=, share = share_of(kernel, sizes),
                     stream = queue.stream](const KernelArguments& arguments) {
    const CrossEntropyLoss now{read_at(arguments, 0), read_at<std::int32_t>(arguments, 1),
                               write_at(arguments, 0), sizes, share};
    rows("cross_entropy", stream, 1,
         {reads(now.prediction, sizes.elements()), reads(now.labels, sizes.count()),
          writes(now.loss, 1)},
         now);
  });
}

// softmax(prediction) − 1 at the label, a row for every label.
struct CrossEntropyGradient {
  using Sum = ExponentialSum;
  const float* prediction;
  const std::int32_t* labels;
  float* gradient;
  StridedRows sizes;
  double share;
  __host__ __device__ Sum sum(std::int64_t label, int lane) const {
    return lane_sum(prediction, sizes, label, lane);
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t label, Sum sum, int lane) const {
    const std::int64_t right = labels[label];
    const bool known = right >= 0 && right < sizes.length;
    const float factor = known ? static_cast<float>(share / sum.sum) : NAN;
    for (std::int64_t c = lane; c < sizes.length; c += lanes_of_row) {
      const std::int64_t at = sizes.at(label, c);
      const float slope = expf(prediction[at] - sum.largest) * factor;
      gradient[at] = c == right ? slope - static_cast<float>(share) : slope;
    }
  }
};
std::unique_ptr<LeafKernel> make_cross_entropy_backward(const TaskKernel& kernel,
                                                        const GpuQueue& queue) {
  const StridedRows sizes = label_rows(kernel);
  return gpu_kernel([=, share = share_of(kernel, sizes),
                     stream = queue.stream](const KernelArguments& arguments) {
    const CrossEntropyGradient now{read_at(arguments, 0), read_at<std::int32_t>(arguments, 1),
                                   write_at(arguments, 0), sizes, share};
    rows("cross_entropy backward", stream, sizes.count(),
         {reads(now.prediction, sizes.elements()), reads(now.labels, sizes.count()),
          writes(now.gradient, sizes.elements())},
         now);
  });
}

double element_share(const TaskKernel& kernel) {
  const auto elements = static_cast<double>(element_count(kernel.reads[0]));
  return static_cast<double>(kernel.samples) / (elements * static_cast<double>(kernel.batch));
}

// Prediction and target, each as it lies.
struct ComparedImages {
  const float* prediction;
  const float* target;
  ListedOrder prediction_order, target_order;
  __host__ __device__ float error(std::int64_t i) const {
    return prediction[i] - target[target_order.lying(prediction_order.listed(i))];
  }
};
ComparedImages compared(const TaskKernel& kernel) {
  const ListedOrder prediction = listed_order(kernel.reads[0]);
  const ListedOrder target = listed_order(kernel.reads[1]);
  if (prediction.pixels == target.pixels) return {};  // one order: element by element
  return {nullptr, nullptr, prediction, target};
}
ComparedImages at(ComparedImages images, const KernelArguments& arguments) {
  images.prediction = read_at(arguments, 0);
  images.target = read_at(arguments, 1);
  return images;
}

struct SquaredErrors {
  using Sum = OneSum;
  ComparedImages images;
  float* loss;
  std::int64_t count;
  double share;
  __host__ __device__ Sum sum(std::int64_t, int lane) const {
    Sum sum{0};
    for (std::int64_t i = lane; i < count; i += lanes_of_row) {
      const float error = images.error(i);
      sum.a += static_cast<double>(error * error);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t, Sum sum, int lane) const {
    if (lane == 0) *loss = static_cast<float>(sum.a * share);
  }
};
std::unique_ptr<LeafKernel> make_squared_error(const TaskKernel& kernel, const GpuQueue& queue) {
  const std::int64_t n = element_count(kernel.reads[0]);
  return gpu_kernel([=, images = compared(kernel), share = element_share(kernel),
                     stream = queue.stream](const KernelArguments& arguments) {
    const SquaredErrors now{at(images, arguments), write_at(arguments, 0), n, share};
    rows("mse", stream, 1,
         {reads(now.images.prediction, n), reads(now.images.target, n), writes(now.loss, 1)}, now);
  });
}

struct SquaredErrorGradient {
  ComparedImages images;
  float* gradient;
  float factor;
  __host__ __device__ void operator()(std::int64_t i) const {
    gradient[i] = factor * images.error(i);
  }
};
std::unique_ptr<LeafKernel> make_squared_error_backward(const TaskKernel& kernel,
                                                        const GpuQueue& queue) {
  const std::int64_t n = element_count(kernel.reads[0]);
  return gpu_kernel([=, images = compared(kernel),
                     factor = static_cast<float>(2 * element_share(kernel)),
                     stream = queue.stream](const KernelArguments& arguments) {
    const SquaredErrorGradient now{at(images, arguments), write_at(arguments, 0), factor};
    elements(
        "mse backward", stream, n,
        {reads(now.images.prediction, n), reads(now.images.target, n), writes(now.gradient, n)},
        now);
  });
}

}  // namespace

GpuKernels gpu_loss_kernels() {
  static constexpr GpuKernel kernels[] = {{"cross_entropy.forward", make_cross_entropy},
                                          {"cross_entropy.backward", make_cross_entropy_backward},
                                          {"mse.forward", make_squared_error},
                                          {"mse.backward", make_squared_error_backward}};
  return kernels;
}

}  // namespace stint
