#include <algorithm>

#include "planner/chains/chain_plan.hpp"
#include "planner/optional_output.hpp"

namespace stint {
namespace {

class Cleaning {
 public:
  Cleaning(const Problem& problem, Draft draft)
      : graph_(problem.graph()),
        draft_(std::move(draft)),
        is_read_(draft_.buffers.size(), false),
        needed_(draft_.actions.size(), false) {}

  Draft clean() {
    find_needed();
    leave_out_outputs();
    drop_actions();
    drop_buffers();
    return std::move(draft_);
  }

 private:
  // From the end on: an action is needed if somebody needs what it writes, or if it is the only one
  // of its kind. State is needed in the next step.
  void find_needed() {
    std::vector<bool> first(draft_.actions.size(), false);
    std::vector<bool> seen(graph_.tasks.size(), false);
    for (std::size_t a = 0; a < draft_.actions.size(); ++a) {
      const Action& action = draft_.actions[a];
      if (action.what != Do::compute) continue;
      first[a] = !seen[action.task];
      seen[action.task] = true;
    }
    for (const BufferId buffer : draft_.kept) is_read_[outermost(buffer)] = true;
    for (std::size_t b = 0; b < draft_.buffers.size(); ++b) {
      if (draft_.buffers[b].initial) is_read_[outermost(static_cast<BufferId>(b))] = true;
    }
    for (std::size_t a = draft_.actions.size(); a-- > 0;) {
      const Action& action = draft_.actions[a];
      needed_[a] =
          first[a] || std::any_of(action.writes.begin(), action.writes.end(),
                                  [&](BufferId buffer) { return is_read_[outermost(buffer)]; });
      if (!needed_[a]) continue;
      for (const BufferId buffer : action.reads) is_read_[outermost(buffer)] = true;
      for (const BufferId buffer : action.updates) is_read_[outermost(buffer)] = true;
    }
  }

  // Parts and wholes share bytes, so they are read together.
  BufferId outermost(BufferId buffer) const {
    while (draft_.buffers[buffer].within != no_buffer) buffer = draft_.buffers[buffer].within;
    return buffer;
  }

  void leave_out_outputs() {
    for (std::size_t a = 0; a < draft_.actions.size(); ++a) {
      Action& action = draft_.actions[a];
      if (action.what != Do::compute) continue;
      const Task& task = graph_.tasks[action.task];
      for (std::size_t w = 0; w < task.writes.size(); ++w) {
        const bool may = is_optional(task, task.writes[w]);
        if (may && !is_read_[outermost(action.writes[w])]) action.writes[w] = no_buffer;
      }
    }
  }

  void drop_actions() {
    std::vector<ActionId> place(draft_.actions.size());
    int count = 0;
    for (std::size_t a = 0; a < draft_.actions.size(); ++a) {
      // Whoever waits for one that is dropped waits for the one before it.
      place[a] = static_cast<ActionId>(needed_[a] ? count : count - 1);
      if (needed_[a]) draft_.actions[count++] = draft_.actions[a];
    }
    draft_.actions.resize(count);
    for (Action& action : draft_.actions) {
      for (ActionId& earlier : action.after) earlier = place[earlier];
      std::erase_if(action.after, [](ActionId earlier) { return earlier < 0; });
    }
  }

  void drop_buffers() {
    std::vector<bool> used(draft_.buffers.size(), false);
    for_each_buffer([&](BufferId& buffer) {
      for (BufferId b = buffer; b != no_buffer; b = draft_.buffers[b].within) used[b] = true;
    });
    std::vector<BufferId> place(used.size(), no_buffer);
    int count = 0;
    for (std::size_t b = 0; b < used.size(); ++b) {
      place[b] = static_cast<BufferId>(count);
      if (used[b]) draft_.buffers[count++] = draft_.buffers[b];
    }
    draft_.buffers.resize(count);
    for (Buffer& buffer : draft_.buffers) {
      if (buffer.within != no_buffer) buffer.within = place[buffer.within];
    }
    for_each_buffer([&](BufferId& buffer) { buffer = place[buffer]; });
  }

  template <typename Visit>
  void for_each_buffer(Visit visit) {
    const auto all = [&](std::vector<BufferId>& list) {
      for (BufferId& buffer : list) {
        if (buffer != no_buffer) visit(buffer);
      }
    };
    for (Action& action : draft_.actions) {
      all(action.reads), all(action.writes), all(action.updates);
      if (action.workspace != no_buffer) visit(action.workspace);
    }
    all(draft_.kept);
  }

  const Graph& graph_;
  Draft draft_;
  std::vector<bool> is_read_;  // by outermost buffer: by somebody who is needed
  std::vector<bool> needed_;   // by action
};

}  // namespace

Draft without_needless(const Problem& problem, Draft draft) {
  return Cleaning(problem, std::move(draft)).clean();
}

}  // namespace stint
