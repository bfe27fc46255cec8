#include "executor/cpu/label_count.hpp"

namespace stint {
namespace {

// Scores lie as [outer, classes, inner], labels as [outer, inner].
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

}  // namespace

LabelCount count_labels(const TaskKernel& loss, const float* scores, const std::int32_t* labels) {
  const auto [outer, classes, inner] = sizes_of(loss);
  LabelCount count{.labels = outer * inner};
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const float* const row = scores + o * classes * inner + i;
      std::int64_t best = 0;
      for (std::int64_t c = 1; c < classes; ++c) {
        if (row[c * inner] > row[best * inner]) best = c;
      }
      if (best == labels[o * inner + i]) ++count.right;
    }
  }
  return count;
}

}  // namespace stint
