// From choices to a plan on several devices: copies and executions just in time, on the worker that
// can begin first, with times, joules and the peaks of all memories.
//
// A task is run where it was placed. What it reads is there, or is copied from where it is, or,
// dropped everywhere, computed again on the same device, with whatever that needs. Times follow the
// simulator's rules but for copies that compete for a channel, which take turns in the order of the
// replay; so the times here steer, and the simulator has the last word. Linear in the steps, but
// for sorting the lifetimes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/placement/placement_choice.hpp"

namespace stint {

// Bytes of an item or of a state in one memory, from one write to the last read.
struct PlacedInstance {
  GraphItemId item = no_graph_item;
  int state = -1;  // instead of an item: a copy of it
  MemoryId memory = no_memory;
  double begin = 0;
  double end = 0;
};

// An execution of a task, a copy over a link, or the loading of an input.
struct PlacedStep {
  TaskId task = no_task;
  WorkerId worker = no_worker;
  int state = 0;                  // of an execution: the power state
  WorkerId occupies = no_worker;  // of a copy
  int from = -1;                  // of a copy: an instance; -1: the state at home
  int to = -1;                    // of a copy or a load: an instance
  int wait_for = -1;              // of a copy: a step
  int first_read = 0;             // of an execution: into `read` and `written`
  int first_written = 0;
};

// In place of an instance: state that nobody updates, and that is there from the start.
inline constexpr int from_the_start = -2;

class PlacedReplay {
 public:
  explicit PlacedReplay(const PlacedGraph& graph);

  // False if something is missing that cannot be had again, or is computed far too often.
  bool make(const PlacementChoice& choice);
  // The same but for peaks, which are half of the work.
  bool make_without_peaks(const PlacementChoice& choice);
  // Of the choice that was made last, which must still be there. A peak that cannot exceed
  // `enough_bytes` of its memory is not looked for: only state counts there.
  void measure_peaks(const std::vector<std::int64_t>* enough_bytes = nullptr);

  double seconds() const { return seconds_; }
  double joules() const { return joules_; }
  const std::vector<std::int64_t>& peak_bytes() const { return peaks_; }  // by memory
  const std::vector<PlacedStep>& steps() const { return steps_; }
  const std::vector<PlacedInstance>& instances() const { return instances_; }
  // Of executions: the instances of the items read (in the order of the graph's lists), of copies
  // of state, in the order of `reads_state`, or -1 where it is read at home; then those written.
  const std::vector<int>& read() const { return read_; }
  const std::vector<int>& written() const { return written_; }
  MemoryId home_of(int state) const { return home_[state]; }  // of one that is updated
  // The instance of a result at the end; -1: nobody has touched it.
  int result(GraphItemId item) const { return results_[item]; }
  // Instances that are there when the memory's peak is reached.
  void live_at_peak(MemoryId memory, std::vector<int>& instances) const;
  double peak_seconds(MemoryId memory) const { return peak_at_[memory]; }
  // How many tasks of the order have begun by then, but for one.
  int place_at(double seconds) const;

 private:
  struct Event {
    double seconds;
    int kind;  // ends come before begins, unless nothing is between them
    MemoryId memory;
    std::int64_t bytes;
    bool operator<(const Event& other) const {
      return seconds != other.seconds ? seconds < other.seconds : kind < other.kind;
    }
  };

  const Platform& platform() const { return graph_.problem->platform(); }
  int& now(int item, MemoryId memory) { return now_[item * memories_ + memory]; }
  void begin(const PlacementChoice& choice);
  void settle_states();
  bool execute(TaskId task, DeviceId device, bool is_first);
  bool provide(GraphItemId item, TaskId reader, DeviceId device);
  bool compute_again(GraphItemId item, DeviceId device);
  bool copy_here(GraphItemId item, DeviceId device);
  int copy(int from, int state, LinkId link, DeviceId device, bool waits);
  WorkerId held_up_by(const Link& link, DeviceId device) const;
  bool provide_state(int state, DeviceId device);
  void load(GraphItemId item, TaskId reader, DeviceId device);
  void send_away(GraphItemId item, MemoryId from);
  void drop(GraphItemId item);
  void release(TaskId task);
  const PlacedWay& way(TaskId task, DeviceId device) const;
  double gather(TaskId task, DeviceId device);
  WorkerId pick_worker(TaskId task, DeviceId device, double ready) const;
  void run(TaskId task, DeviceId device);
  void note_uses(TaskId task, DeviceId device, double end);
  void write(TaskId task, MemoryId memory, double start, double end);
  int add_instance(GraphItemId item, int state, MemoryId memory, double begin, double end);
  double enter(WorkerId worker, DeviceId device, int state, double ready);
  bool keep_results();
  void bill();
  void bill_overlaps(std::size_t device);
  void bill_waits(std::size_t device);
  void find_events();
  std::int64_t state_bytes(int memory) const;

  const PlacedGraph& graph_;
  const int memories_;
  PlacedUses uses_;
  std::vector<int> channel_;    // by link
  std::vector<int> first_way_;  // by task and device, into the ways of the task; -1: none
  std::vector<int> frugal_;     // likewise: the state that costs least
  double always_on_ = 0;
  const PlacementChoice* choice_ = nullptr;

  std::vector<PlacedStep> steps_;
  std::vector<PlacedInstance> instances_;
  std::vector<double> ready_;  // by instance
  std::vector<int> read_;
  std::vector<int> written_;
  std::vector<int> now_;        // by item and memory: the instance there, or -1
  std::vector<char> loaded_;    // by item
  std::vector<char> ran_;       // by task
  std::vector<int> pending_;    // writers that have yet to run, by item
  std::vector<MemoryId> home_;  // by state
  std::vector<int> state_now_;  // by state and memory: the copy there, or -1
  std::vector<double> state_written_;
  std::vector<double> state_read_;  // until when somebody reads it at home
  std::vector<double> worker_free_;
  std::vector<double> channel_free_;
  std::vector<int> entered_;                     // by worker: its power state, or -1
  std::vector<std::vector<int>> computed_;       // by device: steps
  std::vector<std::pair<double, double>> busy_;  // scratch
  std::vector<GraphItemId> again_;               // computed for the sake of others
  std::vector<double> ends_;                     // by step
  struct InPlace {
    int from = 0;  // instances
    int to = 0;
    double end = 0;  // of the execution
  };
  std::vector<InPlace> in_place_;
  std::vector<int> results_;  // by item: an instance, or -1
  std::vector<Event> events_;
  std::vector<std::int64_t> live_;
  std::vector<std::int64_t> most_;  // by memory: all that is ever there
  std::vector<std::int64_t> peaks_;
  std::vector<double> peak_at_;
  double marginal_ = 0;
  double seconds_ = 0;
  double joules_ = 0;
};

}  // namespace stint
