#include "executor/cpu/label_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stint {
namespace {

// Predictions lie as [outer, classes, inner], labels as [outer, inner].
struct ScoreSizes {
  std::int64_t outer = 1;
  std::int64_t classes = 1;
  std::int64_t inner = 1;
};

ScoreSizes sizes_of(const TaskKernel& loss) {
  const KernelOperand& scores = loss.reads[0];
  const std::int64_t given = std::get<CrossEntropy>(std::get<LossKind>(loss.origin)).axis;
  const auto rank = std::ssize(scores.shape);
  const std::int64_t axis = given < 0 ? given + rank : given;
  ScoreSizes sizes{.classes = scores.shape[axis]};
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool before = i < axis || scores.channels_last;
    if (i != axis) (before ? sizes.outer : sizes.inner) *= scores.shape[i];
  }
  return sizes;
}

// One label's scores, `stride` apart.
struct ScoreRow {
  const float* from;
  std::int64_t classes;
  std::int64_t stride;
  double operator[](std::int64_t i) const { return static_cast<double>(from[i * stride]); }
};

std::int64_t best_of(const ScoreRow& row) {
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < row.classes; ++c) {
    if (row[c] > row[best]) best = c;
  }
  return best;
}

double cross_entropy(const ScoreRow& row, std::int64_t label) {
  if (label < 0 || label >= row.classes) return std::numeric_limits<double>::quiet_NaN();
  const double largest = row[best_of(row)];
  double sum = 0;
  for (std::int64_t c = 0; c < row.classes; ++c) sum += std::exp(row[c] - largest);
  return std::log(sum) + largest - row[label];
}

LabelScore score_classes(const TaskKernel& loss, const float* scores, const std::int32_t* labels,
                         std::int64_t samples) {
  const auto [outer, classes, inner] = sizes_of(loss);
  LabelScore score{.labels = outer / loss.samples * samples * inner, .have_classes = true};
  for (std::int64_t label = 0; label < score.labels; ++label) {
    const ScoreRow row{scores + label / inner * classes * inner + label % inner, classes, inner};
    score.loss += cross_entropy(row, labels[label]);
    if (best_of(row) == labels[label]) ++score.right;
  }
  return score;
}

LabelScore score_differences(const TaskKernel& loss, const float* predictions, const float* labels,
                             std::int64_t samples) {
  std::int64_t elements = 1;
  for (const std::int64_t count : loss.reads[0].shape) elements *= count;
  LabelScore score{.labels = elements / loss.samples * samples};
  for (std::int64_t i = 0; i < score.labels; ++i) {
    const double apart = static_cast<double>(predictions[i]) - static_cast<double>(labels[i]);
    score.loss += apart * apart;
  }
  return score;
}

}  // namespace

bool is_loss(const TaskKernel& kernel) {
  return kernel.op == "cross_entropy.forward" || kernel.op == "mse.forward";
}

LabelScore score_labels(const TaskKernel& loss, const std::byte* predictions,
                        const std::byte* labels, std::int64_t samples) {
  const auto* numbers = reinterpret_cast<const float*>(predictions);
  samples = std::clamp<std::int64_t>(samples, 0, loss.samples);
  if (loss.op == "mse.forward")
    return score_differences(loss, numbers, reinterpret_cast<const float*>(labels), samples);
  return score_classes(loss, numbers, reinterpret_cast<const std::int32_t*>(labels), samples);
}

}  // namespace stint
