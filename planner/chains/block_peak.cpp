#include "planner/chains/block_peak.hpp"

#include <algorithm>
#include <map>

namespace stint {
namespace {

struct Span {
  int begin = 0;
  int end = 0;  // inclusive: the last task that needs it
};

class Counting {
 public:
  Counting(const Problem& problem, const Block& block, const Memory& memory)
      : graph_(problem.graph()), block_(block), memory_(memory) {
    for (const TensorId tensor : block.given) spans_[tensor] = {0, -1};
    for (int p = 0; p < last(); ++p) note(p);
    for (const TensorId tensor : block.stays) {
      if (spans_.contains(tensor)) spans_[tensor].end = last();
    }
    leave_out_optional();
  }

  StagePeak peak() const {
    std::vector<std::int64_t> change(last() + 1, 0);
    StagePeak peak;
    for (const auto& [tensor, span] : spans_) {
      if (span.end < span.begin) continue;
      change[span.begin] += size(tensor);
      if (span.end < last()) change[span.end + 1] -= size(tensor);
      if (span.end == last()) peak.end_bytes += size(tensor);
    }
    peak.bytes = peak.end_bytes;
    std::int64_t live = 0;
    for (int p = 0; p < last(); ++p) {
      const Task& task = graph_.tasks[block_.tasks[p]];
      live += change[p];
      const std::int64_t here =
          live + aligned(task.workspace_bytes, memory_) - overwritten(task, p);
      peak.bytes = std::max(peak.bytes, here);
    }
    return peak;
  }

 private:
  int last() const { return static_cast<int>(block_.tasks.size()); }
  std::int64_t size(TensorId tensor) const {
    return aligned(graph_.tensors[tensor].bytes, memory_);
  }

  void note(int p) {
    const Task& task = graph_.tasks[block_.tasks[p]];
    for (const TensorId tensor : task.reads) {
      const auto span = spans_.find(tensor);
      if (span != spans_.end())
        span->second.end = p;
      else if (std::find(block_.loaded.begin(), block_.loaded.end(), tensor) != block_.loaded.end())
        spans_[tensor] = {p, p};
    }
    for (const TensorId tensor : task.writes) spans_[tensor] = {p, p};
  }

  // Optional outputs that nobody reads are not written.
  void leave_out_optional() {
    for (int p = 0; p < last(); ++p) {
      for (const TensorId tensor : graph_.tasks[block_.tasks[p]].optional) {
        const Span span = spans_.at(tensor);
        if (span.end == p && span.begin == p) spans_.erase(tensor);
      }
    }
  }

  // Outputs in the place of what is used here for the last time.
  std::int64_t overwritten(const Task& task, int p) const {
    std::int64_t bytes = 0;
    for (const auto& [y, x] : task.may_overwrite) {
      const auto over = spans_.find(x);
      const bool dies = over != spans_.end() && over->second.end == p;
      if (dies && spans_.contains(y) && graph_.tensors[y].bytes <= graph_.tensors[x].bytes)
        bytes += size(y);
    }
    return bytes;
  }

  const Graph& graph_;
  const Block& block_;
  const Memory& memory_;
  std::map<TensorId, Span> spans_;
};

}  // namespace

StagePeak block_peak(const Problem& problem, const Block& block, const Memory& memory) {
  return Counting(problem, block, memory).peak();
}

}  // namespace stint
