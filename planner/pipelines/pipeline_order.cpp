#include "planner/pipelines/pipeline_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/input_error.hpp"
#include "schedules/schedule.hpp"

namespace stint {
namespace {

using enum StageWork;
using List = std::vector<StageOperation>;

const std::vector<std::pair<PipelineKind, std::string>>& names() {
  static const std::vector<std::pair<PipelineKind, std::string>> all{
      {PipelineKind::gpipe, "gpipe"},
      {PipelineKind::one_f_one_b, "1f1b"},
      {PipelineKind::interleaved, "interleaved"},
      {PipelineKind::zb_h1, "zb-h1"},
      {PipelineKind::zb_h2, "zb-h2"},
      {PipelineKind::pipedream, asynchronous_pipeline}};
  return all;
}

List gpipe_list(int microbatches) {
  List list;
  for (int j = 0; j < microbatches; ++j) list.push_back({forward, j, 0});
  for (int j = microbatches; j-- > 0;) list.push_back({backward, j, 0});
  return list;
}

// `ahead` forwards first, then one forward and one backward in turn, then the backwards left.
// `nth_forward` and `nth_backward` say which is the k-th.
template <typename Forward, typename Backward>
List alternating(int total, int ahead, Forward nth_forward, Backward nth_backward) {
  List list;
  for (int k = 0; k < total + ahead; ++k) {
    if (k < total) list.push_back(nth_forward(k));
    if (k >= ahead) list.push_back(nth_backward(k - ahead));
  }
  return list;
}

List one_f_one_b_list(int ahead, int microbatches) {
  return alternating(
      microbatches, std::min(ahead, microbatches),
      [](int k) {
        return StageOperation{forward, k, 0};
      },
      [](int k) {
        return StageOperation{backward, k, 0};
      });
}

List interleaved_list(int stage, int stages, int microbatches, int chunks) {
  const int total = microbatches * chunks;
  const int ahead = std::min(2 * (stages - stage - 1) + (chunks - 1) * stages, total);
  const int round = stages * chunks;
  const auto microbatch = [&](int k) { return k / round * stages + k % stages; };
  const auto chunk = [&](int k) { return k % round / stages; };
  return alternating(
      total, ahead,
      [&](int k) {
        return StageOperation{forward, microbatch(k), chunk(k)};
      },
      [&](int k) {
        return StageOperation{backward, microbatch(k), chunks - 1 - chunk(k)};
      });
}

// Gradients of weights follow `delay` backwards later, and at the end what is left of them.
List with_weights(const List& list, int delay, int microbatches) {
  List all;
  int next = 0;
  for (const StageOperation& operation : list) {
    all.push_back(operation);
    if (operation.work == backward && operation.microbatch >= delay)
      all.push_back({weights, next++, 0});
  }
  while (next < microbatches) all.push_back({weights, next++, 0});
  return all;
}

void expect_at_least_one(const char* what, int number) {
  if (number < 1)
    throw InputError("--pipeline", fmt::format("{} {}; expected at least 1", number, what));
}

}  // namespace

const std::vector<PipelineKind>& pipeline_kinds() {
  static const std::vector<PipelineKind> all = [] {
    std::vector<PipelineKind> kinds;
    for (const auto& [kind, name] : names()) {
      if (kind != PipelineKind::pipedream) kinds.push_back(kind);
    }
    return kinds;
  }();
  return all;
}

std::string to_string(PipelineKind kind) {
  for (const auto& [known, name] : names()) {
    if (known == kind) return name;
  }
  return "unknown";
}

std::optional<PipelineKind> pipeline_kind(const std::string& name) {
  for (const auto& [kind, known] : names()) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

bool has_weight_operations(PipelineKind kind) {
  return kind == PipelineKind::zb_h1 || kind == PipelineKind::zb_h2;
}

PipelineOrder pipeline_order(PipelineKind kind, int stages, int microbatches, int chunks) {
  expect_at_least_one("stages", stages);
  expect_at_least_one("micro-batches", microbatches);
  expect_at_least_one("chunks", chunks);
  const bool interleaves = kind == PipelineKind::interleaved;
  if (interleaves && microbatches % stages != 0)
    throw InputError("--pipeline interleaved",
                     fmt::format("{} micro-batches on {} stages; expected a multiple of them",
                                 microbatches, stages));
  PipelineOrder order{stages, interleaves ? chunks : 1, {}};
  for (int i = 0; i < stages; ++i) {
    const int behind = stages - 1 - i;
    switch (kind) {
      case PipelineKind::gpipe:
        order.lists.push_back(gpipe_list(microbatches));
        break;
      case PipelineKind::one_f_one_b:
      case PipelineKind::pipedream:
        order.lists.push_back(one_f_one_b_list(behind, microbatches));
        break;
      case PipelineKind::interleaved:
        order.lists.push_back(interleaved_list(i, stages, microbatches, chunks));
        break;
      case PipelineKind::zb_h1:
        order.lists.push_back(
            with_weights(one_f_one_b_list(behind, microbatches), i, microbatches));
        break;
      case PipelineKind::zb_h2:
        order.lists.push_back(
            with_weights(one_f_one_b_list(2 * behind, microbatches), 2 * i, microbatches));
        break;
    }
  }
  return order;
}

}  // namespace stint
