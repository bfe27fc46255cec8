#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "executor/cpu/own/dropout_mask.hpp"
#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

template <typename Function>
void map(ReferenceTask& t, Function function) {
  for (std::int64_t i = 0; i < t.writes[0].count(); ++i) t.writes[0][i] = function(i);
}

double relu(const Relu& layer, double x) {
  if (layer.slope > 0) return x > 0 ? x : layer.slope * x;
  return std::clamp(x, layer.min, layer.max.value_or(std::numeric_limits<double>::infinity()));
}

double relu_slope(const Relu& layer, double kept) {
  if (kept <= layer.min) return layer.slope;
  return layer.max && kept >= *layer.max ? 0 : 1;
}

double gelu(const Gelu& layer, double x) {
  if (!layer.tanh) return x / 2 * std::erfc(-x / std::numbers::sqrt2);
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

double gelu_slope(const Gelu& layer, double x) {
  if (!layer.tanh)
    return std::erfc(-x / std::numbers::sqrt2) / 2 +
           x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  const double root = std::sqrt(2 / std::numbers::pi);
  const double t = std::tanh(root * (x + 0.044715 * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x);
}

double dropped(const ReferenceTask& t, std::int64_t i) {
  const auto& layer = t.layer<Dropout>();
  const ReferenceTensor& x = t.reads[0];
  const std::int64_t first = t.kernel.first_sample * (x.count() / t.kernel.samples);
  const auto bits = random_bits(dropout_key(t.seed, layer.seed, t.step), first + i);
  return bits < dropped_below(layer.probability) ? 0 : x[i] / (1 - layer.probability);
}

// Which element of the learned tensor stands at place i of the larger one.
std::int64_t learned_place(const ReferenceTensor& learned, const ReferenceTensor& larger,
                           std::int64_t i) {
  std::int64_t place = 0, stride = 1;
  const std::size_t missing = larger.shape.size() - learned.shape.size();
  for (std::size_t d = larger.shape.size(); d-- > missing;) {
    const std::int64_t size = learned.shape[d - missing];
    if (size > 1) place += i % larger.shape[d] * stride;
    stride *= size;
    i /= larger.shape[d];
  }
  return place;
}

bool run_learned(std::string_view op, ReferenceTask& t) {
  if (op == "bias.forward") {
    map(t, [&](auto i) {
      return t.reads[1][i] + t.reads[0][learned_place(t.reads[0], t.reads[1], i)];
    });
  } else if (op == "scale.forward" || op == "scale.backward_data") {
    map(t, [&](auto i) {
      return t.reads[1][i] * t.reads[0][learned_place(t.reads[0], t.reads[1], i)];
    });
  } else if (op == "bias.backward_weights") {
    for (std::int64_t i = 0; i < t.reads[0].count(); ++i)
      t.writes[0][learned_place(t.writes[0], t.reads[0], i)] += t.reads[0][i];
  } else if (op == "scale.backward_weights") {
    for (std::int64_t i = 0; i < t.reads[0].count(); ++i)
      t.writes[0][learned_place(t.writes[0], t.reads[0], i)] += t.reads[0][i] * t.reads[1][i];
  } else {
    return false;
  }
  return true;
}

bool run_sums(std::string_view op, ReferenceTask& t) {
  const auto factor = [&](auto i) { return t.reads[0][learned_place(t.reads[0], t.reads[1], i)]; };
  if (op == "add.forward" && t.reads.size() == 2) {
    map(t, [&](auto i) { return factor(i) + t.reads[1][i]; });
  } else if (op == "add.forward" || op == "sum") {
    map(t, [&](auto i) {
      double sum = 0;
      for (const ReferenceTensor& read : t.reads) sum += read[i];
      return sum;
    });
  } else if (op == "mul.forward" || op == "mul.backward_a") {
    map(t, [&](auto i) { return factor(i) * t.reads[1][i]; });
  } else if (op == "mul.backward_b") {
    for (std::int64_t i = 0; i < t.reads[0].count(); ++i)
      t.writes[0][learned_place(t.writes[0], t.reads[0], i)] += t.reads[0][i] * t.reads[1][i];
  } else if (op == "add.backward_b") {
    for (std::int64_t i = 0; i < t.reads[0].count(); ++i)
      t.writes[0][learned_place(t.writes[0], t.reads[0], i)] += t.reads[0][i];
  } else {
    return false;
  }
  return true;
}

bool run_backward(std::string_view op, ReferenceTask& t) {
  const auto kept = [&](auto i) { return t.reads[0][i]; };
  const auto dy = [&](auto i) { return t.reads[1][i]; };
  if (op == "relu.backward")
    map(t, [&](auto i) { return dy(i) * relu_slope(t.layer<Relu>(), kept(i)); });
  else if (op == "gelu.backward")
    map(t, [&](auto i) { return dy(i) * gelu_slope(t.layer<Gelu>(), kept(i)); });
  else if (op == "sigmoid.backward")
    map(t, [&](auto i) { return dy(i) * kept(i) * (1 - kept(i)); });
  else if (op == "tanh.backward")
    map(t, [&](auto i) { return dy(i) * (1 - kept(i) * kept(i)); });
  else if (op == "affine.backward")
    map(t, [&](auto i) { return kept(i) * t.layer<Affine>().factor; });
  else
    return false;
  return true;
}

}  // namespace

bool run_reference_elements(std::string_view op, ReferenceTask& t) {
  const auto x = [&](auto i) { return t.reads[0][i]; };
  if (op == "relu.forward")
    map(t, [&](auto i) { return relu(t.layer<Relu>(), x(i)); });
  else if (op == "gelu.forward")
    map(t, [&](auto i) { return gelu(t.layer<Gelu>(), x(i)); });
  else if (op == "sigmoid.forward")
    map(t, [&](auto i) { return 1 / (1 + std::exp(-x(i))); });
  else if (op == "tanh.forward")
    map(t, [&](auto i) { return std::tanh(x(i)); });
  else if (op == "affine.forward")
    map(t, [&](auto i) { return x(i) * t.layer<Affine>().factor + t.layer<Affine>().offset; });
  else if (op == "dropout.forward" || op == "dropout.backward")
    map(t, [&](auto i) { return dropped(t, i); });
  else
    return run_backward(op, t) || run_learned(op, t) || run_sums(op, t);
  return true;
}

}  // namespace stint
