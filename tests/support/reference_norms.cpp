#include <algorithm>
#include <cmath>

#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

std::int64_t channel_at(const ReferenceTensor& x, std::int64_t i) {
  std::int64_t inner = 1;
  for (std::size_t d = 2; d < x.shape.size(); ++d) inner *= x.shape[d];
  return i / inner % x.shape[1];
}

void batch_statistics(ReferenceTask& t) {
  const ReferenceTensor& x = t.reads[0];
  const std::int64_t channels = x.shape[1];
  const auto count = static_cast<double>(x.count() / channels);
  for (std::int64_t i = 0; i < x.count(); ++i) t.writes[0][channel_at(x, i)] += x[i] / count;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const std::int64_t c = channel_at(x, i);
    t.writes[0][channels + c] += std::pow(x[i] - t.writes[0][c], 2) / count;
  }
}

void merge_statistics(ReferenceTask& t) {
  const std::int64_t channels = t.writes[0].count() / 2;
  const auto left = static_cast<double>(t.kernel.left_samples);
  const auto right = static_cast<double>(t.kernel.right_samples);
  const auto mean_of = [&](double a, double b) { return (left * a + right * b) / (left + right); };
  for (std::int64_t c = 0; c < channels; ++c) {
    const double mean = mean_of(t.reads[0][c], t.reads[1][c]);
    const auto square = [&](const ReferenceTensor& side) {
      return side[channels + c] + std::pow(side[c] - mean, 2);
    };
    t.writes[0][c] = mean;
    t.writes[0][channels + c] = mean_of(square(t.reads[0]), square(t.reads[1]));
  }
}

struct ChannelStatistics {
  double mean, scale;
};
ChannelStatistics statistics_of(const ReferenceTask& t, const ReferenceTensor& all,
                                std::int64_t channel) {
  const double variance = all[all.count() / 2 + channel];
  return {all[channel], 1 / std::sqrt(variance + t.layer<BatchNorm>().epsilon)};
}

void batch_running(ReferenceTask& t) {
  const double momentum = t.layer<BatchNorm>().momentum;
  const auto count = static_cast<double>(t.kernel.averaged_over);
  const std::int64_t channels = t.updates[0].count();
  for (std::int64_t c = 0; c < channels; ++c) {
    const double variance = t.reads[0][channels + c] * (count > 1 ? count / (count - 1) : 1);
    t.updates[0][c] += momentum * (t.reads[0][c] - t.updates[0][c]);
    t.updates[1][c] += momentum * (variance - t.updates[1][c]);
  }
}

bool run_batch_norm(std::string_view op, ReferenceTask& t) {
  const ReferenceTensor& first = t.reads[0];
  if (op == "batch_norm.statistics") {
    batch_statistics(t);
  } else if (op == "batch_norm.merge") {
    merge_statistics(t);
  } else if (op == "batch_norm.running") {
    batch_running(t);
  } else if (op == "batch_norm.forward") {
    const ReferenceTensor& x = t.reads[3];
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const std::int64_t c = channel_at(x, i);
      const auto [mean, scale] = statistics_of(t, first, c);
      t.writes[0][i] = (x[i] - mean) * scale * t.reads[1][c] + t.reads[2][c];
    }
  } else if (op == "batch_norm.backward_weights") {
    for (std::int64_t i = 0; i < first.count(); ++i) {
      const std::int64_t c = channel_at(first, i);
      const auto [mean, scale] = statistics_of(t, t.reads[1], c);
      t.writes[0][c] += t.reads[2][i] * (first[i] - mean) * scale;
      t.writes[1][c] += t.reads[2][i];
    }
  } else if (op == "batch_norm.backward_data") {
    const auto count = static_cast<double>(t.kernel.averaged_over);
    for (std::int64_t i = 0; i < first.count(); ++i) {
      const std::int64_t c = channel_at(first, i);
      const auto [mean, scale] = statistics_of(t, t.reads[1], c);
      const double normal = (first[i] - mean) * scale;
      t.writes[0][i] = t.reads[2][c] * scale *
                       (t.reads[5][i] - t.reads[4][c] / count - normal * t.reads[3][c] / count);
    }
  } else {
    return false;
  }
  return true;
}

void layer_forward(ReferenceTask& t) {
  const auto& layer = t.layer<LayerNorm>();
  const ReferenceTensor& x = t.reads.back();
  const std::int64_t width = t.reads[0].count();
  for (std::int64_t row = 0; row < x.count() / width; ++row) {
    double mean = 0, variance = 0;
    for (std::int64_t i = 0; i < width; ++i)
      mean += x[row * width + i] / static_cast<double>(width);
    for (std::int64_t i = 0; i < width; ++i)
      variance += std::pow(x[row * width + i] - mean, 2) / static_cast<double>(width);
    const double scale = 1 / std::sqrt(variance + layer.epsilon);
    t.writes[1][2 * row] = mean;
    t.writes[1][2 * row + 1] = scale;
    for (std::int64_t i = 0; i < width; ++i)
      t.writes[0][row * width + i] =
          (x[row * width + i] - mean) * scale * t.reads[0][i] + (layer.bias ? t.reads[1][i] : 0);
  }
}

void layer_backward_weights(ReferenceTask& t) {
  const std::int64_t width = t.writes[0].count();
  for (std::int64_t i = 0; i < t.reads[0].count(); ++i) {
    const std::int64_t row = i / width;
    const double normal = (t.reads[0][i] - t.reads[1][2 * row]) * t.reads[1][2 * row + 1];
    t.writes[0][i % width] += t.reads[2][i] * normal;
    if (t.writes.size() > 1) t.writes[1][i % width] += t.reads[2][i];
  }
}

void layer_backward_data(ReferenceTask& t) {
  const std::int64_t width = t.reads[2].count();
  for (std::int64_t row = 0; row < t.reads[0].count() / width; ++row) {
    const double mean = t.reads[1][2 * row], scale = t.reads[1][2 * row + 1];
    const auto slope = [&](std::int64_t i) { return t.reads[3][row * width + i] * t.reads[2][i]; };
    const auto normal = [&](std::int64_t i) {
      return (t.reads[0][row * width + i] - mean) * scale;
    };
    double slopes = 0, products = 0;
    for (std::int64_t i = 0; i < width; ++i) {
      slopes += slope(i) / static_cast<double>(width);
      products += slope(i) * normal(i) / static_cast<double>(width);
    }
    for (std::int64_t i = 0; i < width; ++i)
      t.writes[0][row * width + i] = (slope(i) - slopes - normal(i) * products) * scale;
  }
}

// Squares of channels c − size/2 … c + (size − 1)/2 count for channel c.
double response_scale(const LocalResponseNorm& layer, const ReferenceTensor& x, std::int64_t n,
                      std::int64_t c, std::int64_t h, std::int64_t w) {
  double squares = 0;
  for (std::int64_t i = c - layer.size / 2; i <= c + (layer.size - 1) / 2; ++i) {
    if (i >= 0 && i < x.shape[1]) squares += std::pow(x[x.place(n, i, h, w)], 2);
  }
  return layer.k + layer.alpha / static_cast<double>(layer.size) * squares;
}

void run_lrn(bool forward, ReferenceTask& t) {
  const auto& layer = t.layer<LocalResponseNorm>();
  const ReferenceTensor& x = t.reads[0];
  const double factor = 2 * layer.alpha * layer.beta / static_cast<double>(layer.size);
  for (std::int64_t at = 0; at < x.count(); ++at) {
    const std::int64_t w = at % x.shape[3], h = at / x.shape[3] % x.shape[2];
    const std::int64_t c = channel_at(x, at), n = at / (x.count() / x.shape[0]);
    const double scale = response_scale(layer, x, n, c, h, w);
    if (forward) {
      t.writes[0][at] = x[at] * std::pow(scale, -layer.beta);
      continue;
    }
    const double dy = t.reads[1][at];
    t.writes[0][at] += dy * std::pow(scale, -layer.beta);
    for (std::int64_t i = c - layer.size / 2; i <= c + (layer.size - 1) / 2; ++i) {
      if (i < 0 || i >= x.shape[1]) continue;
      const std::int64_t other = x.place(n, i, h, w);
      t.writes[0][other] -= factor * x[other] * dy * x[at] * std::pow(scale, -layer.beta - 1);
    }
  }
}

// Rows along a dimension: visit(place of the first, distance, length).
template <typename Visit>
void visit_rows(const ReferenceTensor& x, std::int64_t axis, Visit visit) {
  const std::size_t at = axis < 0 ? x.shape.size() + axis : static_cast<std::size_t>(axis);
  std::int64_t inner = 1;
  for (std::size_t d = at + 1; d < x.shape.size(); ++d) inner *= x.shape[d];
  for (std::int64_t i = 0; i < x.count(); ++i) {
    if (i / inner % x.shape[at] == 0) visit(i, inner, x.shape[at]);
  }
}

void softmax(ReferenceTask& t) {
  const ReferenceTensor& x = t.reads[0];
  visit_rows(x, t.layer<Softmax>().axis, [&](auto first, auto apart, auto length) {
    double sum = 0, largest = x[first];
    for (std::int64_t i = 0; i < length; ++i) largest = std::max(largest, x[first + i * apart]);
    for (std::int64_t i = 0; i < length; ++i) sum += std::exp(x[first + i * apart] - largest);
    for (std::int64_t i = 0; i < length; ++i)
      t.writes[0][first + i * apart] = std::exp(x[first + i * apart] - largest) / sum;
  });
}

void softmax_backward(ReferenceTask& t) {
  const ReferenceTensor &y = t.reads[0], &dy = t.reads[1];
  visit_rows(y, t.layer<Softmax>().axis, [&](auto first, auto apart, auto length) {
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += y[first + i * apart] * dy[first + i * apart];
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = first + i * apart;
      t.writes[0][at] = y[at] * (dy[at] - sum);
    }
  });
}

}  // namespace

bool run_reference_norms(std::string_view op, ReferenceTask& t) {
  if (op == "layer_norm.forward")
    layer_forward(t);
  else if (op == "layer_norm.backward_weights")
    layer_backward_weights(t);
  else if (op == "layer_norm.backward_data")
    layer_backward_data(t);
  else if (op == "lrn.forward" || op == "lrn.backward")
    run_lrn(op == "lrn.forward", t);
  else if (op == "softmax.forward")
    softmax(t);
  else if (op == "softmax.backward")
    softmax_backward(t);
  else
    return run_batch_norm(op, t);
  return true;
}

}  // namespace stint
