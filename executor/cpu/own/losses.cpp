// Losses: each task's share of the mean over the whole step, added up in double precision.
//
// A label that is no class makes the loss and its gradient not a number: a step cannot be stopped,
// but the fault is seen.
#include <cmath>
#include <limits>

#include "executor/cpu/own/lane_functions.hpp"
#include "executor/cpu/own/lanes.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// One label's predictions: `classes` of them, `stride` apart.
struct PredictionRow {
  const float* from;
  std::int64_t classes;
  std::int64_t stride;
};

float largest_in(const PredictionRow& row) {
  if (row.stride == 1) return largest_of(row.from, row.classes);
  float largest = row.from[0];
  for (std::int64_t i = 1; i < row.classes; ++i)
    largest = larger_of(row.from[i * row.stride], largest);
  return largest;
}

Lanes lanes_of(const PredictionRow& row, std::int64_t first) {
  const std::int64_t count = std::min(lane_count, row.classes - first);
  float gathered[lane_count] = {};
  for (std::int64_t i = 0; i < count; ++i) gathered[i] = row.from[(first + i) * row.stride];
  return load_lanes(gathered);
}

// The sum of exponentials, each divided by that of the largest.
double sum_of_exponentials(const PredictionRow& row, float largest) {
  if (row.stride == 1) {
    return sum_elements<1>(row.classes, [&](auto load) {
      return std::array{exponential(load(row.from) - largest)};
    })[0];
  }
  double sum = 0;
  for (std::int64_t first = 0; first < row.classes; first += lane_count) {
    const Lanes powers = exponential(lanes_of(row, first) - largest);
    sum += static_cast<double>(sum_of(first_lanes(powers, row.classes - first)));
  }
  return sum;
}

struct CrossEntropySizes {
  ChannelView view;
  double share;  // 1 / labels of the whole step

  std::int64_t labels() const { return view.outer * view.inner; }
  std::int64_t row_at(std::int64_t label) const {
    return label / view.inner * view.channels * view.inner + label % view.inner;
  }
  PredictionRow row(const float* prediction, std::int64_t label) const {
    return {prediction + row_at(label), view.channels, view.inner};
  }
};

CrossEntropySizes sizes_of(const TaskKernel& kernel) {
  const auto& loss = std::get<CrossEntropy>(std::get<LossKind>(kernel.origin));
  CrossEntropySizes sizes{view_around(kernel.reads[0], loss.axis), 0};
  const auto per_sample = static_cast<double>(sizes.labels()) / static_cast<double>(kernel.samples);
  sizes.share = 1 / (per_sample * static_cast<double>(kernel.batch));
  return sizes;
}

std::unique_ptr<CpuKernel> make_cross_entropy(const TaskKernel& kernel) {
  return loop_kernel([sizes = sizes_of(kernel)](const KernelArguments& arguments) {
    const auto* labels = read_at<std::int32_t>(arguments, 1);
    double sum = 0;
    for (std::int64_t i = 0; i < sizes.labels(); ++i) {
      const PredictionRow row = sizes.row(read_at(arguments, 0), i);
      const bool known = labels[i] >= 0 && labels[i] < row.classes;
      const float largest = largest_in(row);
      const float of_label = known ? row.from[labels[i] * row.stride] : not_a_number;
      sum += std::log(sum_of_exponentials(row, largest)) +
             (static_cast<double>(largest) - static_cast<double>(of_label));
    }
    *write_at(arguments, 0) = static_cast<float>(sum * sizes.share);
  });
}

// Of predictions that do not lie side by side.
void write_apart(const PredictionRow& row, float largest, float factor, float* gradient) {
  for (std::int64_t first = 0; first < row.classes; first += lane_count) {
    const Lanes powers = exponential(lanes_of(row, first) - largest) * factor;
    const std::int64_t count = std::min(lane_count, row.classes - first);
    for (std::int64_t i = 0; i < count; ++i) gradient[(first + i) * row.stride] = powers[i];
  }
}

// softmax(prediction) − 1 at the label, in the place of the prediction or elsewhere.
void write_gradient(const PredictionRow& row, std::int32_t label, double share, float* gradient) {
  const bool known = label >= 0 && label < row.classes;
  const float largest = largest_in(row);
  const auto factor =
      known ? static_cast<float>(share / sum_of_exponentials(row, largest)) : not_a_number;
  if (row.stride == 1) {
    map_elements(row.classes, gradient,
                 [&](auto load) { return exponential(load(row.from) - largest) * factor; });
  } else {
    write_apart(row, largest, factor, gradient);
  }
  if (known) gradient[label * row.stride] -= static_cast<float>(share);
}

std::unique_ptr<CpuKernel> make_cross_entropy_backward(const TaskKernel& kernel) {
  return loop_kernel([sizes = sizes_of(kernel)](const KernelArguments& arguments) {
    const auto* labels = read_at<std::int32_t>(arguments, 1);
    for (std::int64_t i = 0; i < sizes.labels(); ++i) {
      write_gradient(sizes.row(read_at(arguments, 0), i), labels[i], sizes.share,
                     write_at(arguments, 0) + sizes.row_at(i));
    }
  });
}

// Prediction and target may lie in different orders: the prediction as [outer, channels, inner],
// the target with its channels and pixels exchanged.
struct SquaredErrorSizes {
  std::int64_t count = 0;
  double share = 0;  // 1 / elements of the whole step
  bool same_order = true;
  ChannelView prediction;
};

SquaredErrorSizes squared_error_sizes(const TaskKernel& kernel) {
  const KernelOperand& prediction = kernel.reads[0];
  SquaredErrorSizes sizes{.count = element_count(prediction)};
  sizes.share = static_cast<double>(kernel.samples) /
                (static_cast<double>(sizes.count) * static_cast<double>(kernel.batch));
  sizes.same_order = lies_channels_last(prediction) == lies_channels_last(kernel.reads[1]);
  if (sizes.same_order) return sizes;
  const auto& shape = prediction.shape;
  sizes.prediction = {shape[0], shape[1], shape[2] * shape[3]};
  if (lies_channels_last(prediction)) std::swap(sizes.prediction.channels, sizes.prediction.inner);
  return sizes;
}

// visit(prediction_at, target_at) for every element.
template <typename Visit>
void visit_pairs(const ChannelView& prediction, Visit visit) {
  const auto [outer, rows, columns] = prediction;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column)
        visit((o * rows + row) * columns + column, (o * columns + column) * rows + row);
    }
  }
}

std::unique_ptr<CpuKernel> make_squared_error(const TaskKernel& kernel) {
  return loop_kernel([sizes = squared_error_sizes(kernel)](const KernelArguments& arguments) {
    const float* prediction = read_at(arguments, 0);
    const float* target = read_at(arguments, 1);
    double sum = 0;
    if (sizes.same_order) {
      sum = sum_elements<1>(sizes.count, [=](auto load) {
        const Lanes error = load(prediction) - load(target);
        return std::array{error * error};
      })[0];
    } else {
      visit_pairs(sizes.prediction, [&](std::int64_t i, std::int64_t j) {
        const float error = prediction[i] - target[j];
        sum += static_cast<double>(error * error);
      });
    }
    *write_at(arguments, 0) = static_cast<float>(sum * sizes.share);
  });
}

std::unique_ptr<CpuKernel> make_squared_error_backward(const TaskKernel& kernel) {
  return loop_kernel([sizes = squared_error_sizes(kernel)](const KernelArguments& arguments) {
    const float* prediction = read_at(arguments, 0);
    const float* target = read_at(arguments, 1);
    float* gradient = write_at(arguments, 0);
    const auto factor = static_cast<float>(2 * sizes.share);
    if (sizes.same_order) {
      map_elements(sizes.count, gradient,
                   [=](auto load) { return factor * (load(prediction) - load(target)); });
    } else {
      visit_pairs(sizes.prediction, [=](std::int64_t i, std::int64_t j) {
        gradient[i] = factor * (prediction[i] - target[j]);
      });
    }
  });
}

constexpr OwnKernel kernels[] = {{"cross_entropy.forward", make_cross_entropy},
                                 {"cross_entropy.backward", make_cross_entropy_backward},
                                 {"mse.forward", make_squared_error},
                                 {"mse.backward", make_squared_error_backward}};

}  // namespace

OwnKernels loss_kernels() { return kernels; }

}  // namespace stint
