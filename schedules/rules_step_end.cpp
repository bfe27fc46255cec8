// R8, R14 to R17: what a step leaves behind. Every buffer has been written, every input came in
// once, state is back where it lives, results are still there, double buffers are filled for the
// next step.
#include <fmt/format.h>

#include <algorithm>

#include "schedules/rules.hpp"

namespace stint {
namespace {

class StepEnd {
 public:
  StepEnd(const Judge& judge, const Layout& layout, const StateVersions& versions,
          const Contents& contents)
      : judge_(judge),
        schedule_(judge.schedule),
        layout_(layout),
        versions_(versions),
        contents_(contents) {}

  void run() const {
    judge_never_written();
    judge_inputs();
    judge_final_state();
    judge_results();
    judge_double_inputs();
  }

 private:
  void judge_double_inputs() const {
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      const bool is_input =
          schedule_.buffers[b].second_offset && judge_.kind(BufferId{b}) == Kind::input;
      if (!is_input || contents_.loads_ahead[b] == 1) continue;
      judge_.report(17, buffer_path(BufferId{b}, "offsets"),
                    fmt::format("{} is loaded {} times for the next step; expected once",
                                judge_.buffer(BufferId{b}), contents_.loads_ahead[b]));
    }
  }

  void judge_never_written() const {
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      const CellRange range = layout_.cells[b];
      const bool any =
          std::any_of(contents_.cells.begin() + range.begin, contents_.cells.begin() + range.end,
                      [](const Cell& cell) { return cell.written; });
      if (any || range.begin == range.end) continue;
      judge_.report(
          8, buffer_path(BufferId{b}),
          judge_.buffer(BufferId{b}) + " is never written; expected one action that does");
    }
  }

  void judge_inputs() const {
    const auto& tensors = schedule_.graph.tensors;
    for (int t = 0; t < static_cast<int>(tensors.size()); ++t) {
      if (tensors[t].kind != Kind::input || layout_.segments.root[t] != t) continue;
      const SegmentRange range = layout_.segments.of_tensor[t];
      const bool twice =
          std::any_of(contents_.origins.begin() + range.begin,
                      contents_.origins.begin() + range.end, [](int count) { return count > 1; });
      if (!twice) continue;
      judge_.report(
          16, "/buffers",
          fmt::format("the input {} comes in more than once; expected one initial buffer or "
                      "one load",
                      tensors[t].name));
    }
  }

  void judge_final_state() const {
    std::vector<bool> has_home(layout_.segments.count(), false);
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (!buffer.initial || buffer.within != no_buffer ||
          judge_.kind(BufferId{b}) != Kind::state) {
        continue;
      }
      for (int c = layout_.cells[b].begin; c < layout_.cells[b].end; ++c) {
        has_home[layout_.cell_segment[c]] = true;
      }
      judge_final_version(BufferId{b});
    }
    judge_homes(has_home);
  }

  void judge_final_version(BufferId id) const {
    for (int c = layout_.cells[id].begin; c < layout_.cells[id].end; ++c) {
      const int expected = versions_.last(layout_.cell_segment[c]);
      if (contents_.cells[c].version != expected) {
        judge_.report(
            14, buffer_path(id),
            fmt::format("{} ends the step {}; expected {}", judge_.buffer(id),
                        judge_.version(contents_.cells[c].version), judge_.version(expected)));
        return;
      }
      if (schedule_.buffers[id].second_offset && contents_.cells[c].writes == 0) {
        judge_.report(
            17, buffer_path(id, "offsets"),
            judge_.buffer(id) + " is not rewritten into the half of the next step; expected once");
        return;
      }
    }
  }

  // State that tasks use must be somewhere when the step begins.
  void judge_homes(const std::vector<bool>& has_home) const {
    const auto& tensors = schedule_.graph.tensors;
    std::vector<bool> reported(tensors.size(), false);
    const auto expect_home = [&](TensorId tensor) {
      const SegmentRange range = layout_.segments.of_tensor[tensor];
      for (int s = range.begin; s < range.end; ++s) {
        if (has_home[s] || reported[tensor]) continue;
        reported[tensor] = true;
        judge_.report(
            14, "/buffers",
            fmt::format("the state {} has no initial buffer; expected one that holds it from "
                        "step to step",
                        tensors[tensor].name));
      }
    };
    for (const Task& task : schedule_.graph.tasks) {
      for (const TensorId tensor : task.updates) expect_home(tensor);
      for (const TensorId tensor : task.reads) {
        if (tensors[tensor].kind == Kind::state) expect_home(tensor);
      }
    }
  }

  void judge_results() const {
    if (schedule_.graph.results.empty()) return;
    std::vector<std::vector<BufferId>> by_root(schedule_.graph.tensors.size());
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (buffer.tensor == no_tensor || layout_.place[b] != b) continue;
      by_root[layout_.segments.root[buffer.tensor]].push_back(BufferId{b});
    }
    for (const TensorId result : schedule_.graph.results) {
      const auto& places = by_root[layout_.segments.root[result]];
      const bool held = std::any_of(places.begin(), places.end(), [&](BufferId place) {
        return holds_to_the_end(place, result);
      });
      if (held) continue;
      judge_.report(
          15, "/buffers",
          fmt::format("the result {} is in no buffer when the step ends; expected one that "
                      "nothing overwrites",
                      judge_.tensor(result)));
    }
  }

  bool holds_to_the_end(BufferId place, TensorId result) const {
    const SegmentRange held = layout_.segments.of_tensor[schedule_.buffers[place].tensor];
    const SegmentRange wanted = layout_.segments.of_tensor[result];
    if (wanted.begin < held.begin || wanted.end > held.end) return false;
    for (int s = wanted.begin; s < wanted.end; ++s) {
      const Cell& cell = contents_.cells[layout_.cells[place].begin + (s - held.begin)];
      if (!cell.written || cell.lost_to != nobody || cell.version != versions_.last(s))
        return false;
    }
    return true;
  }

  const Judge& judge_;
  const Schedule& schedule_;
  const Layout& layout_;
  const StateVersions& versions_;
  const Contents& contents_;
};

}  // namespace

void judge_step_end(const Judge& judge, const Layout& layout, const StateVersions& versions,
                    const Contents& contents) {
  StepEnd(judge, layout, versions, contents).run();
}

}  // namespace stint
