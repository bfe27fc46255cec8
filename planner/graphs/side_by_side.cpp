#include "planner/graphs/side_by_side.hpp"

#include <algorithm>

#include "planner/infinity.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr double early = 0.01;   // of the step, by which one may come back before it is due
constexpr int most_ahead = 600;  // steps that one may overtake

// An instance of an item: who makes it, and who reads it.
struct Made {
  std::int64_t bytes = 0;
  bool is_optional = false;
  bool stays = false;  // to the end
  int readers = 0;     // that have not begun
};

struct Step {
  double seconds = 0;
  bool is_copy = false;
  bool is_fetch = false;
  std::vector<int> follows;  // steps that wait for this one to end
  std::vector<int> yields;   // steps that only begin later
  int waits = 0;             // for so many to begin
  double ready = 0;
  double tail = 0;         // the longest way to the end
  std::vector<int> reads;  // instances
  std::vector<int> writes;
  std::int64_t beside = 0;  // bytes while it runs: workspace, and what nobody reads
};

// Who waits for whom, and which bytes follow from it.
class Steps {
 public:
  Steps(const Problem& problem, const DeviceGraph& graph, const TaskSequence& sequence,
        const GraphCrew& crew)
      : problem_(problem),
        graph_(graph),
        crew_(crew),
        now_(graph.items.size(), -1),
        latest_(graph.tasks.size(), -1),
        writers_(graph.items.size()),
        readers_(graph.items.size()),
        before_update_(graph.tasks.size()) {
    for (const TaskId task : sequence) add(task);
    for (std::size_t i = 0; i < graph.items.size(); ++i) {
      if (graph.items[i].is_result && now_[i] >= 0) made[now_[i]].stays = true;
    }
    for (Made& each : made) {
      if (each.is_optional && each.readers == 0 && !each.stays) each.bytes = 0;
    }
    for (int i = static_cast<int>(steps.size()); i-- > 0;) {
      double after = 0;
      for (const int next : steps[i].follows) after = std::max(after, steps[next].tail);
      steps[i].tail = after + steps[i].seconds;
    }
  }

  std::vector<Step> steps;
  std::vector<Made> made;

 private:
  double seconds(TaskId task) const {
    if (!graph_.is_copy(task)) {
      const auto& states = problem_.platform().devices[graph_.device].states;
      return problem_.seconds[graph_.device][task] / states[crew_.states[task]].speed;
    }
    const GraphItemId item = graph_.copied(task);
    const LinkId link = graph_.is_fetch(task) ? crew_.place->back : crew_.place->out;
    return copy_seconds(problem_.platform().links[link],
                        problem_.graph().tensors[graph_.items[item].tensor].bytes);
  }

  void wait_for(int i, int other, bool until_it_ends = true) {
    if (other < 0 || other == i) return;
    (until_it_ends ? steps[other].follows : steps[other].yields).push_back(i);
    ++steps[i].waits;
  }

  void add(TaskId task) {
    const int i = static_cast<int>(steps.size());
    const GraphTask& flat = graph_.tasks[task];
    Step& step = steps.emplace_back();
    step.is_copy = graph_.is_copy(task);
    step.is_fetch = graph_.is_fetch(task);
    step.seconds = seconds(task);
    step.beside = flat.workspace_bytes;
    for (const GraphItemId item : flat.reads) read(i, item);
    for (const GraphOutput& output : flat.writes) write(i, output, latest_[task] >= 0);
    if (!step.is_copy) {
      for (const TaskId before : problem_.before[task]) wait_for(i, latest_[before]);
      for (const int reader : before_update_[task]) wait_for(i, reader);
    }
    for (const TaskId update : flat.ends_with) before_update_[update].push_back(i);
    latest_[task] = i;
  }

  void read(int i, GraphItemId item) {
    if (now_[item] < 0) {
      now_[item] = static_cast<int>(made.size());
      made.push_back({graph_.items[item].bytes});
      steps[i].writes.push_back(now_[item]);
    }
    Made& instance = made[now_[item]];
    ++instance.readers;
    steps[i].reads.push_back(now_[item]);
    for (const int writer : writers_[item]) wait_for(i, writer);
    readers_[item].push_back(i);
  }

  // Who writes anew comes after those who read what was there before.
  void write(int i, const GraphOutput& output, bool again) {
    const GraphItem& item = graph_.items[output.item];
    if (item.is_fixed && again) {
      steps[i].beside += output.bytes;
      return;
    }
    for (const int reader : readers_[output.item]) wait_for(i, reader, false);
    if (!item.is_fixed) {
      for (const int writer : writers_[output.item]) wait_for(i, writer, false);
      writers_[output.item].clear();
      readers_[output.item].clear();
      now_[output.item] = -1;
    }
    writers_[output.item].push_back(i);
    if (now_[output.item] >= 0) return;
    now_[output.item] = static_cast<int>(made.size());
    made.push_back({item.bytes, output.is_optional});
    steps[i].writes.push_back(now_[output.item]);
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  const GraphCrew& crew_;
  std::vector<int> now_;                   // by item: its latest instance
  std::vector<int> latest_;                // by task: the step that ran it last
  std::vector<std::vector<int>> writers_;  // by item, of the latest instance
  std::vector<std::vector<int>> readers_;
  std::vector<std::vector<int>> before_update_;  // by task: steps that must not see what it writes
};

class Dispatch {
 public:
  Dispatch(Steps all, std::vector<std::int64_t> live, const GraphCrew& crew)
      : steps_(std::move(all.steps)),
        made_(std::move(all.made)),
        live_(std::move(live)),
        capacity_(crew.capacity_bytes),
        free_at_(crew.workers + (crew.place ? 1 : 0), 0.0),
        workers_(crew.workers),
        begun_(steps_.size(), 0) {
    double sum = 0;
    for (const Step& step : steps_) {
      due_.push_back(sum);
      if (!step.is_copy) sum += step.seconds / crew.workers;
    }
    for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
      if (steps_[i].waits == 0) ready_.push_back(i);
    }
    fetch_in_time(sum);
  }

  std::vector<int> order() {
    while (first_ < static_cast<int>(steps_.size())) {
      const auto lane =
          static_cast<int>(std::min_element(free_at_.begin(), free_at_.end()) - free_at_.begin());
      const double now = free_at_[lane];
      const int chosen = choose(lane, now);
      if (chosen >= 0) {
        begin(chosen, lane, now);
        continue;
      }
      const double next = next_event(now);
      if (next == infinity)
        begin_first();
      else
        free_at_[lane] = next;
    }
    return order_;
  }

 private:
  // Those that come back share the link: each begins so early that all after it are in time.
  void fetch_in_time(double whole) {
    double latest = whole;
    for (int i = static_cast<int>(steps_.size()); i-- > 0;) {
      if (!steps_[i].is_fetch) continue;
      latest = std::min(latest, due_[i]) - steps_[i].seconds;
      due_[i] = latest - steps_[i].seconds - early * whole;
    }
  }

  bool fits_lane(int i, int lane) const { return steps_[i].is_copy == (lane >= workers_); }

  // Of the steps that can begin, the one with the longest way to the end; in the order of the
  // sequence where they are alike.
  int choose(int lane, double now) {
    int best = -1;
    for (const int i : ready_) {
      if (!fits_lane(i, lane) || steps_[i].ready > now || i > first_ + most_ahead) continue;
      if (best >= 0 && !is_before(i, best)) continue;
      if (steps_[i].is_fetch && due_[first_] < due_[i]) continue;
      if (has_room(i, now)) best = i;
    }
    return best;
  }
  bool is_before(int a, int b) const {
    return steps_[a].tail > steps_[b].tail || (steps_[a].tail == steps_[b].tail && a < b);
  }

  std::int64_t written(int i) const {
    std::int64_t bytes = 0;
    for (const int instance : steps_[i].writes) bytes += made_[instance].bytes;
    return bytes;
  }
  std::int64_t held_at(double now) const {
    std::int64_t bytes = carried_;
    for (const UnderWay& other : under_way_) bytes += other.end > now ? other.bytes : 0;
    return bytes;
  }
  // What is there for longer after the step than before, for those that it overtakes.
  std::int64_t left_behind(int i) const {
    std::int64_t bytes = 0;
    for (const int instance : steps_[i].writes) {
      const bool lasts = made_[instance].stays || made_[instance].readers > 0;
      bytes += lasts ? made_[instance].bytes : 0;
    }
    for (const int instance : steps_[i].reads) {
      const bool ends = made_[instance].readers == 1 && !made_[instance].stays;
      bytes -= ends ? made_[instance].bytes : 0;
    }
    return bytes;
  }
  bool has_room(int i, double now) const {
    if (held_at(now) + written(i) + steps_[i].beside > capacity_) return false;
    const std::int64_t more = left_behind(i);
    for (int s = first_; s < i; ++s) {
      if (!begun_[s] && live_[s] + more > capacity_) return false;
    }
    return true;
  }

  double next_event(double now) const {
    double next = infinity;
    for (const int i : ready_) {
      if (steps_[i].ready > now) next = std::min(next, steps_[i].ready);
    }
    for (const UnderWay& other : under_way_) {
      if (other.end > now) next = std::min(next, other.end);
    }
    for (const double at : free_at_) {
      if (at > now) next = std::min(next, at);
    }
    return next;
  }

  // Nobody is under way and nobody has room: the order itself always has.
  void begin_first() {
    const int lane = steps_[first_].is_copy ? workers_ : 0;
    begin(first_, lane, std::max(free_at_[lane], steps_[first_].ready));
  }

  void begin(int i, int lane, double now) {
    const std::int64_t more = left_behind(i);
    for (int s = first_; s < i; ++s) live_[s] += begun_[s] ? 0 : more;
    const std::int64_t while_it_runs = carried_ + written(i) + steps_[i].beside;
    for (const int instance : steps_[i].reads) --made_[instance].readers;
    carried_ += more;
    const double end = now + steps_[i].seconds;
    free_at_[lane] = end;
    std::erase_if(under_way_, [&](const UnderWay& other) { return other.end <= now; });
    under_way_.push_back({end, while_it_runs - carried_});
    begun_[i] = 1;
    order_.push_back(i);
    std::erase(ready_, i);
    for (const int next : steps_[i].follows) release(next, end);
    for (const int next : steps_[i].yields) release(next, now);
    while (first_ < static_cast<int>(steps_.size()) && begun_[first_]) ++first_;
  }
  void release(int i, double at) {
    steps_[i].ready = std::max(steps_[i].ready, at);
    if (--steps_[i].waits == 0) ready_.push_back(i);
  }

  struct UnderWay {
    double end = 0;
    std::int64_t bytes = 0;  // that nobody needs after it
  };
  std::vector<Step> steps_;
  std::vector<Made> made_;
  std::vector<std::int64_t> live_;  // by step that has not begun: if they go on in their order
  std::int64_t capacity_;
  std::vector<double> free_at_;  // by worker, and of the link
  int workers_;
  std::vector<char> begun_;
  std::vector<double> due_;  // by step: about when it begins
  std::vector<int> ready_;   // all that they wait for has begun
  std::vector<UnderWay> under_way_;
  std::int64_t carried_ = 0;  // for steps that have not begun
  int first_ = 0;             // that has not begun
  std::vector<int> order_;
};

}  // namespace

TaskSequence side_by_side(const Problem& problem, const DeviceGraph& graph,
                          const TaskSequence& sequence, const GraphCrew& crew) {
  SequenceMeter meter(graph, std::vector<double>(graph.tasks.size(), 0.0));
  meter.measure(sequence);
  Dispatch dispatch(Steps(problem, graph, sequence, crew), meter.live_bytes(), crew);
  TaskSequence reordered;
  for (const int step : dispatch.order()) reordered.push_back(sequence[step]);
  const bool fits = meter.measure(reordered).peak_bytes <= crew.capacity_bytes;
  return fits ? reordered : sequence;
}

}  // namespace stint
