#include <cmath>

#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

struct ClassPlaces {
  std::int64_t classes, apart;
  double share;  // of one label in the mean over the step

  explicit ClassPlaces(const ReferenceTask& t) {
    const auto& shape = t.reads[0].shape;
    const std::int64_t axis = std::get<CrossEntropy>(std::get<LossKind>(t.kernel.origin)).axis;
    const std::size_t at = axis < 0 ? shape.size() + axis : static_cast<std::size_t>(axis);
    classes = shape[at];
    apart = 1;
    for (std::size_t d = at + 1; d < shape.size(); ++d) apart *= shape[d];
    share = static_cast<double>(t.kernel.samples) /
            static_cast<double>(t.reads[1].count() * t.kernel.batch);
  }
  std::int64_t first(std::int64_t label) const {
    return label / apart * classes * apart + label % apart;
  }
};

void cross_entropy(bool forward, ReferenceTask& t) {
  const ClassPlaces at(t);
  const ReferenceTensor& x = t.reads[0];
  for (std::int64_t i = 0; i < t.reads[1].count(); ++i) {
    const std::int64_t first = at.first(i);
    const auto label = static_cast<std::int64_t>(t.reads[1][i]);
    double sum = 0;
    for (std::int64_t c = 0; c < at.classes; ++c) sum += std::exp(x[first + c * at.apart]);
    if (forward) {
      t.writes[0][0] += at.share * (std::log(sum) - x[first + label * at.apart]);
      continue;
    }
    for (std::int64_t c = 0; c < at.classes; ++c) {
      const std::int64_t place = first + c * at.apart;
      t.writes[0][place] = at.share * (std::exp(x[place]) / sum - (c == label ? 1 : 0));
    }
  }
}

void squared_error(bool forward, ReferenceTask& t) {
  const double share = static_cast<double>(t.kernel.samples) /
                       static_cast<double>(t.reads[0].count() * t.kernel.batch);
  for (std::int64_t i = 0; i < t.reads[0].count(); ++i) {
    const double error = t.reads[0][i] - t.reads[1][i];
    if (forward)
      t.writes[0][0] += share * error * error;
    else
      t.writes[0][i] = 2 * share * error;
  }
}

void step_sgd(ReferenceTask& t) {
  const Sgd& sgd = std::get<Sgd>(std::get<Optimizer>(t.kernel.origin));
  for (std::int64_t i = 0; i < t.updates[0].count(); ++i) {
    double slope = t.reads[0][i] + sgd.weight_decay * t.updates[0][i];
    if (t.updates.size() > 1) slope = t.updates[1][i] = sgd.momentum * t.updates[1][i] + slope;
    t.updates[0][i] -= sgd.learning_rate * slope;
  }
}

void step_adam(ReferenceTask& t) {
  const Adam& adam = std::get<Adam>(std::get<Optimizer>(t.kernel.origin));
  const auto steps = static_cast<double>(t.step + 1);
  for (std::int64_t i = 0; i < t.updates[0].count(); ++i) {
    const double g = t.reads[0][i];
    double &w = t.updates[0][i], &m = t.updates[1][i], &v = t.updates[2][i];
    m = adam.beta1 * m + (1 - adam.beta1) * g;
    v = adam.beta2 * v + (1 - adam.beta2) * g * g;
    const double mean = m / (1 - std::pow(adam.beta1, steps));
    const double square = v / (1 - std::pow(adam.beta2, steps));
    w -= adam.learning_rate * (adam.weight_decay * w + mean / (std::sqrt(square) + adam.epsilon));
  }
}

}  // namespace

bool run_reference_losses(std::string_view op, ReferenceTask& t) {
  if (op == "cross_entropy.forward" || op == "cross_entropy.backward")
    cross_entropy(op == "cross_entropy.forward", t);
  else if (op == "mse.forward" || op == "mse.backward")
    squared_error(op == "mse.forward", t);
  else if (op == "sgd.update")
    step_sgd(t);
  else if (op == "adam.update")
    step_adam(t);
  else
    return false;
  return true;
}

}  // namespace stint
