#include "planner/pipelines/pipeline_times.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace stint {
namespace {

// An operation in the order of a replay, and what it waits for beside its stage's list.
struct Event {
  int stage = 0;
  int place = 0;  // in the stage's list
  double start = 0;
  double end = 0;
  double latest = 0;  // end
  struct Need {
    int event = 0;
    double message = 0;
  };
  std::vector<Need> needs;
};

class Replay {
 public:
  Replay(const PipelineOrder& order, const StageSeconds& seconds)
      : order_(order), seconds_(seconds), next_(order.stages, 0), last_(order.stages, -1) {
    for (const auto& list : order.lists) {
      for (const StageOperation& operation : list)
        microbatches_ = std::max(microbatches_, operation.microbatch + 1);
    }
    event_of_.assign(3 * std::size_t(microbatches_) * order.virtual_stages(), -1);
  }

  void run() {
    std::size_t left = 0;
    for (const auto& list : order_.lists) left += list.size();
    while (left > 0) {
      const std::size_t before = left;
      for (int stage = 0; stage < order_.stages; ++stage) {
        while (run_next(stage)) --left;
      }
      if (left == before) throw std::logic_error("the order of a pipeline has a cycle");
    }
  }

  PipelineTimes times() {
    put_off();
    PipelineTimes times;
    for (const auto& list : order_.lists) {
      times.start.emplace_back(list.size());
      times.slack.emplace_back(list.size());
    }
    times.first_start.assign(order_.stages, std::numeric_limits<double>::infinity());
    times.last_end.assign(order_.stages, 0);
    times.busy.assign(order_.stages, 0);
    times.seconds = makespan();
    for (const Event& event : events_) {
      times.start[event.stage][event.place] = event.start;
      times.slack[event.stage][event.place] = event.latest - event.end;
      times.first_start[event.stage] = std::min(times.first_start[event.stage], event.start);
      times.last_end[event.stage] = std::max(times.last_end[event.stage], event.end);
      times.busy[event.stage] += event.end - event.start;
    }
    return times;
  }

 private:
  int& event_of(StageWork work, int microbatch, int virtual_stage) {
    const int kind = static_cast<int>(work);
    return event_of_[(std::size_t(kind) * microbatches_ + microbatch) * order_.virtual_stages() +
                     virtual_stage];
  }

  double makespan() const {
    double end = 0;
    for (const Event& event : events_) end = std::max(end, event.end);
    return end;
  }

  double seconds_of(const StageOperation& operation, int stage) const {
    switch (operation.work) {
      case StageWork::forward:
        return seconds_.forward[stage];
      case StageWork::backward:
        return seconds_.backward[stage];
      case StageWork::weights:
        break;
    }
    return seconds_.weights[stage];
  }

  // False if something is missing yet.
  bool add_need(StageWork work, int microbatch, int virtual_stage, double message, Event& event) {
    const int other = event_of(work, microbatch, virtual_stage);
    if (other < 0) return false;
    event.needs.push_back({other, message});
    return true;
  }
  bool add_needs(const StageOperation& operation, int c, Event& event) {
    const int j = operation.microbatch;
    if (operation.work == StageWork::weights) return add_need(StageWork::backward, j, c, 0, event);
    if (operation.work == StageWork::forward)
      return c == 0 || add_need(StageWork::forward, j, c - 1, seconds_.message, event);
    const bool is_last = c + 1 == order_.virtual_stages();
    return add_need(StageWork::forward, j, c, 0, event) &&
           (is_last || add_need(StageWork::backward, j, c + 1, seconds_.message, event));
  }

  bool run_next(int stage) {
    const auto& list = order_.lists[stage];
    const int place = next_[stage];
    if (place == static_cast<int>(list.size())) return false;
    const StageOperation& operation = list[place];
    const int c = order_.virtual_stage(stage, operation.chunk);
    Event event{stage, place, 0, 0, 0, {}};
    if (!add_needs(operation, c, event)) return false;
    if (last_[stage] >= 0) event.needs.push_back({last_[stage], 0});
    for (const auto& need : event.needs)
      event.start = std::max(event.start, events_[need.event].end + need.message);
    event.end = event.start + seconds_of(operation, stage);
    last_[stage] = static_cast<int>(events_.size());
    event_of(operation.work, operation.microbatch, c) = last_[stage];
    events_.push_back(std::move(event));
    ++next_[stage];
    return true;
  }

  void put_off() {
    const double end = makespan();
    for (Event& event : events_) event.latest = end;
    for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
      const double latest_start = event->latest - (event->end - event->start);
      for (const auto& need : event->needs) {
        double& latest = events_[need.event].latest;
        latest = std::min(latest, latest_start - need.message);
      }
    }
  }

  const PipelineOrder& order_;
  const StageSeconds& seconds_;
  int microbatches_ = 0;
  std::vector<int> next_;  // by stage, into its list
  std::vector<int> last_;  // by stage
  std::vector<int> event_of_;
  std::vector<Event> events_;
};

}  // namespace

PipelineTimes pipeline_times(const PipelineOrder& order, const StageSeconds& seconds) {
  Replay replay(order, seconds);
  replay.run();
  return replay.times();
}

std::vector<double> peak_activations(const PipelineOrder& order, const std::vector<double>& act,
                                     const std::vector<double>& weights) {
  std::vector<double> peaks;
  for (int i = 0; i < order.stages; ++i) {
    const double for_weights = weights.empty() ? 0 : weights[i];
    double held = 0;
    double peak = 0;
    for (const StageOperation& operation : order.lists[i]) {
      if (operation.work == StageWork::forward) held += act[i];
      if (operation.work == StageWork::backward) held += for_weights - act[i];
      if (operation.work == StageWork::weights) held -= for_weights;
      peak = std::max(peak, held);
    }
    peaks.push_back(peak);
  }
  return peaks;
}

std::vector<double> peak_recomputing(const PipelineOrder& order, const std::vector<double>& act,
                                     const std::vector<double>& kept) {
  std::vector<double> peaks = peak_activations(order, kept);
  for (int i = 0; i < order.stages; ++i) peaks[i] += act[i];
  return peaks;
}

}  // namespace stint
