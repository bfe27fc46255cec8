#include "planner/graphs/graph_draft.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "planner/chains/chain_plan.hpp"
#include "planner/pieces.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr std::ptrdiff_t looks_back = 64;  // computations among which a copy looks for its signal

class Drafting {
 public:
  Drafting(const Problem& problem, const DeviceGraph& graph, const GraphCrew& crew)
      : problem_(problem),
        tasks_(problem.graph().tasks),
        graph_(graph),
        crew_(crew),
        free_at_(crew.workers, 0.0),
        busy_until_(crew.workers, 0),
        now_(graph.items.size(), no_buffer),
        state_(problem.graph().tensors.size(), no_buffer),
        home_(graph.items.size(), no_buffer),
        ran_(tasks_.size(), false) {
    add_state();
  }

  Draft draft(const TaskSequence& sequence) {
    SequenceMeter meter(graph_, std::vector<double>(graph_.tasks.size(), 0.0));
    meter.measure(sequence);
    live_ = meter.live_bytes();
    released_ = meter.released_bytes();
    for (std::size_t step = 0; step < sequence.size(); ++step) {
      graph_.is_copy(sequence[step]) ? copy(sequence[step], static_cast<int>(step))
                                     : add(sequence[step], static_cast<int>(step));
    }
    for (const TensorId result : problem_.graph().results) {
      const GraphItemId item = graph_.item_of[result];
      if (item != no_graph_item && now_[item] == no_buffer) load(item);
      draft_.kept.push_back(item == no_graph_item ? state_[result] : part(now_[item], result));
    }
    return without_needless(problem_, std::move(draft_));
  }

 private:
  BufferId add_buffer(TensorId tensor, std::int64_t bytes, BufferId within = no_buffer) {
    Buffer buffer;
    buffer.tensor = tensor;
    buffer.memory = graph_.memory;
    buffer.bytes = bytes;
    buffer.within = within;
    draft_.buffers.push_back(buffer);
    return static_cast<BufferId>(draft_.buffers.size() - 1);
  }
  BufferId add_buffer(TensorId tensor) {
    return add_buffer(tensor, problem_.graph().tensors[tensor].bytes);
  }

  // The buffer of a tensor inside the one of all that it shares bytes with.
  BufferId part(BufferId whole, TensorId tensor) {
    if (draft_.buffers[whole].tensor == tensor) return whole;
    const auto [known, is_new] = parts_.try_emplace({whole, tensor}, no_buffer);
    if (is_new) known->second = add_buffer(tensor, problem_.graph().tensors[tensor].bytes, whole);
    return known->second;
  }

  void add_state() {
    std::vector<TensorId> used;
    const auto note = [&](const std::vector<TensorId>& list) {
      for (const TensorId tensor : list) {
        if (problem_.graph().tensors[tensor].kind == Kind::state) used.push_back(tensor);
      }
    };
    for (const Task& task : tasks_) note(task.reads), note(task.updates);
    note(problem_.graph().results);
    std::map<TensorId, BufferId> wholes;
    const auto cover_of = covers(problem_, used);
    for (const auto& [tensor, cover] : cover_of) {
      const auto [whole, is_new] = wholes.try_emplace(cover, no_buffer);
      if (is_new) {
        whole->second = add_buffer(cover);
        draft_.buffers.back().initial = true;
      }
      state_[tensor] = part(whole->second, tensor);
    }
    for (const AwayState& state : graph_.away_state) {
      const BufferId home = wholes.at(state.tensor);
      draft_.buffers[home].memory = crew_.place->memory;
      home_[state.before] = home;
      if (state.updated != no_graph_item) home_[state.updated] = home;
      for (const auto& [tensor, cover] : cover_of) {
        if (cover != state.tensor) continue;
        draft_.buffers[state_[tensor]].memory = crew_.place->memory;
        away_[tensor] = state;
      }
    }
  }

  // Of state that is away the bytes that are here now: those of the item that was written last.
  BufferId state_here(TensorId tensor) {
    const auto away = away_.find(tensor);
    if (away == away_.end()) return state_[tensor];
    const GraphItemId updated = away->second.updated;
    const bool is_updated = updated != no_graph_item && now_[updated] != no_buffer;
    return part(now_[is_updated ? updated : away->second.before], tensor);
  }

  void load(GraphItemId item) {
    Action action;
    action.what = Do::load;
    action.worker = problem_.first_worker[graph_.device];
    now_[item] = add_buffer(graph_.items[item].tensor);
    action.writes = {now_[item]};
    draft_.actions.push_back(std::move(action));
  }

  BufferId read(TensorId tensor) {
    const GraphItemId item = graph_.item_of[tensor];
    if (item == no_graph_item) return state_here(tensor);
    if (now_[item] == no_buffer) load(item);
    return part(now_[item], tensor);
  }

  // A task that runs again writes anew; what there is only once it writes elsewhere, for nobody.
  BufferId written(TensorId tensor, bool again) {
    const GraphItemId item = graph_.item_of[tensor];
    const bool is_fixed = graph_.items[item].is_fixed;
    if (is_fixed && again) return add_buffer(tensor);
    if (!is_fixed || now_[item] == no_buffer) now_[item] = add_buffer(graph_.items[item].tensor);
    return part(now_[item], tensor);
  }

  void add(TaskId id, int step) {
    const Task& task = tasks_[id];
    Action action;
    action.task = id;
    action.state = crew_.states[id];
    for (const TensorId tensor : task.reads) action.reads.push_back(read(tensor));
    for (const TensorId tensor : task.updates) action.updates.push_back(state_here(tensor));
    for (const TensorId tensor : task.writes) action.writes.push_back(written(tensor, ran_[id]));
    if (task.workspace_bytes > 0) action.workspace = add_buffer(no_tensor, task.workspace_bytes);
    for (const GraphOutput& output : graph_.tasks[id].writes) {
      if (home_[output.item] != no_buffer) now_[output.item] = now_[output.in_place];
    }
    ran_[id] = true;
    assign(step, action);
    draft_.actions.push_back(std::move(action));
  }

  // Copies go over their link one after the other, beside those who compute.
  void copy(TaskId id, int step) {
    const bool is_fetch = graph_.is_fetch(id);
    const LinkId id_of_link = is_fetch ? crew_.place->back : crew_.place->out;
    const Link& link = problem_.platform().links[id_of_link];
    Action action;
    action.what = Do::copy;
    action.worker = problem_.link_worker[id_of_link];
    is_fetch ? fetch(graph_.copied(id), action) : send(graph_.copied(id), action);
    if (!crew_.times.empty()) {
      wait_as_timed(step, action);
      draft_.actions.push_back(std::move(action));
      return;
    }
    const double ready = std::max(ready_at(action), room_at(step, action));
    const double begin = std::max({ready, link_free_at_, is_fetch ? last_begin_ : 0});
    if (is_fetch) not_before(begin, action);
    link_free_at_ = begin + copy_seconds(link, draft_.buffers[action.reads.front()].bytes);
    ready_[action.writes.front()] = link_free_at_;
    under_way_.push_back(
        {link_free_at_, released_[step], static_cast<ActionId>(draft_.actions.size())});
    draft_.actions.push_back(std::move(action));
  }

  void fetch(GraphItemId item, Action& action) {
    now_[item] = add_buffer(graph_.items[item].tensor);
    action.reads = {home_[item] == no_buffer ? sent_.at(item) : home_[item]};
    action.writes = {now_[item]};
  }

  // To where state lives, or to a place of its own.
  void send(GraphItemId item, Action& action) {
    action.reads = {now_[item]};
    action.writes = {home_[item]};
    if (home_[item] != no_buffer) return;
    sent_[item] = add_buffer(graph_.items[item].tensor);
    draft_.buffers.back().memory = crew_.place->memory;
    action.writes = {sent_[item]};
  }

  // It waits for the last of those that have ended by then, so that it does not come too early.
  void not_before(double begin, Action& action) const {
    const auto from = std::max<std::ptrdiff_t>(std::ssize(computed_) - looks_back, 0);
    const Computed* last = nullptr;
    for (auto c = computed_.begin() + from; c != computed_.end(); ++c) {
      if (c->end <= begin && (last == nullptr || c->end >= last->end)) last = &*c;
    }
    if (last != nullptr) action.after.push_back(last->action);
  }

  double ready_at(const Action& action) {
    double ready = 0;
    for (const auto* list : {&action.reads, &action.updates}) {
      for (const BufferId buffer : *list) ready = std::max(ready, ready_[outermost(buffer)]);
    }
    return ready;
  }

  // The worker that can begin the action first. Of those that are free in time the one that was
  // busy last: the others may be of use earlier.
  void assign(int step, Action& action) {
    if (!crew_.times.empty()) return assign_as_timed(step, action);
    const double ready = std::max(ready_at(action), room_at(step, action));
    int best = 0;
    for (int w = 1; w < static_cast<int>(free_at_.size()); ++w) {
      const double begin = std::max(ready, free_at_[w]);
      const double best_begin = std::max(ready, free_at_[best]);
      if (begin < best_begin || (begin == best_begin && free_at_[w] > free_at_[best])) best = w;
    }
    const double speed = problem_.platform().devices[graph_.device].states[action.state].speed;
    const double seconds = problem_.seconds[graph_.device][action.task] / speed;
    last_begin_ = std::max(ready, free_at_[best]);
    free_at_[best] = last_begin_ + seconds;
    for (const auto* list : {&action.writes, &action.updates}) {
      for (const BufferId buffer : *list) ready_[outermost(buffer)] = free_at_[best];
    }
    action.worker = static_cast<WorkerId>(problem_.first_worker[graph_.device] + best);
    const auto place = static_cast<ActionId>(draft_.actions.size());
    if (crew_.place) computed_.push_back({free_at_[best], place});
    if (is_watched()) under_way_.push_back({free_at_[best], released_[step], place});
  }

  void assign_as_timed(int step, Action& action) {
    wait_as_timed(step, action);
    int worker = 0;
    while (worker + 1 < crew_.workers && busy_until_[worker] > crew_.times[step].begin) ++worker;
    busy_until_[worker] = crew_.times[step].end;
    action.worker = static_cast<WorkerId>(problem_.first_worker[graph_.device] + worker);
  }

  void wait_as_timed(int step, Action& action) {
    for (int s = 0; s < step; ++s) {
      if (crew_.times[s].end <= crew_.times[step].begin) action.after.push_back(action_of_[s]);
    }
    action_of_.push_back(static_cast<ActionId>(draft_.actions.size()));
  }

  bool is_watched() const { return crew_.workers > 1 || crew_.place.has_value(); }

  // Until those before it end, what they alone use is there beside what the sequence has live. It
  // waits for as many as it takes, the first to end first.
  double room_at(int step, Action& action) {
    if (!is_watched()) return 0;
    std::sort(under_way_.begin(), under_way_.end(),
              [](const UnderWay& a, const UnderWay& b) { return a.end < b.end; });
    const double soonest_compute = *std::min_element(free_at_.begin(), free_at_.end());
    const double soonest_copy = std::max(link_free_at_, last_begin_);
    const double soonest = action.what == Do::copy ? soonest_copy : soonest_compute;
    std::erase_if(under_way_, [&](const UnderWay& other) {
      return other.end <= std::min(soonest_compute, last_begin_);
    });
    const auto is_over = [&](const UnderWay& other) { return other.end <= soonest; };
    std::int64_t bytes = live_[step];
    for (const UnderWay& other : under_way_) bytes += is_over(other) ? 0 : other.bytes;
    double begin = 0;
    for (const UnderWay& other : under_way_) {
      if (bytes <= crew_.capacity_bytes) break;
      if (is_over(other)) continue;
      bytes -= other.bytes;
      begin = other.end;
      action.after.push_back(other.action);
    }
    return begin;
  }

  BufferId outermost(BufferId buffer) const {
    const BufferId whole = draft_.buffers[buffer].within;
    return whole == no_buffer ? buffer : whole;
  }

  const Problem& problem_;
  const std::vector<Task>& tasks_;
  const DeviceGraph& graph_;
  const GraphCrew& crew_;
  struct UnderWay {
    double end = 0;
    std::int64_t bytes = 0;  // that nobody after it uses
    ActionId action{0};
  };
  std::vector<UnderWay> under_way_;
  std::map<GraphItemId, BufferId> sent_;
  double link_free_at_ = 0;
  struct Computed {
    double end = 0;
    ActionId action{0};
  };
  std::vector<Computed> computed_;
  double last_begin_ = 0;                 // of a computation
  std::vector<std::int64_t> live_;        // by step of the sequence
  std::vector<std::int64_t> released_;    // likewise: not live after it
  std::vector<double> free_at_;           // by worker
  std::vector<std::int64_t> busy_until_;  // likewise, in the timetable
  std::vector<ActionId> action_of_;       // by step, with a timetable
  std::map<BufferId, double> ready_;      // when it is written
  std::vector<BufferId> now_;             // by item: its latest instance
  std::vector<BufferId> state_;           // by tensor: where it lives
  std::vector<BufferId> home_;            // by item: where it lives, if it is state that is away
  std::map<TensorId, AwayState> away_;    // by tensor
  std::vector<bool> ran_;
  std::map<std::pair<BufferId, TensorId>, BufferId> parts_;
  Draft draft_;
};

}  // namespace

Draft graph_draft(const Problem& problem, const DeviceGraph& graph, const TaskSequence& sequence,
                  const GraphCrew& crew) {
  return Drafting(problem, graph, crew).draft(sequence);
}

}  // namespace stint
