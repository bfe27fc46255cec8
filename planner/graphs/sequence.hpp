// A plan on one worker as the order in which tasks run, some of them again, and what it takes: the
// peak of live bytes and the cost.
//
// Who reads an item reads its latest instance; an instance lives from the task that writes it to
// the last that reads it before the item is written anew, which is the shortest time that it can.
// Optional outputs that nobody reads are left out; an output takes the place of an input that is
// not needed any more where the task permits it. Cost: linear in the reads and writes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/graphs/device_graph.hpp"
#include "planner/graphs/flat_graph.hpp"

namespace stint {

struct ItemInstance {
  GraphItemId item = no_graph_item;
  int begin = 0;  // step
  int last = 0;   // step, inclusive; of a result the number of steps
  std::int64_t bytes = 0;
  bool is_read = false;
  bool is_optional = false;
};

struct SequenceMeasure {
  double cost = 0;
  std::int64_t peak_bytes = 0;
  int peak_step = 0;  // the first
};

// Measures sequences one after the other without allocating anew.
class SequenceMeter {
 public:
  SequenceMeter(const DeviceGraph& graph, std::vector<double> costs);

  // Bytes that are counted as live although nobody uses them: by position in the order of first
  // runs, while the task there runs and all that runs again just before it. Empty: none.
  void reserve(std::vector<std::int64_t> bytes) { reserved_ = std::move(bytes); }

  // Needs a sequence in which everything read was written before.
  SequenceMeasure measure(const TaskSequence& sequence);

  double cost(const TaskSequence& sequence) const;

  // Without runs that nobody needs: not the first of their task, and nobody reads what they write.
  void leave_out_needless_runs(TaskSequence& sequence) {
    stint::leave_out_needless_runs(flat_, needs_, sequence);
  }

  // An instance that takes the place of another in a step, if that is not used any more.
  struct InPlace {
    int step = 0;
    int from = 0;  // instances
    int to = 0;
  };

  // Of the sequence measured last.
  const std::vector<ItemInstance>& instances() const { return instances_; }
  const std::vector<InPlace>& in_place() const { return in_place_; }
  const std::vector<std::int64_t>& live_bytes() const { return live_; }  // by step
  std::vector<std::int64_t> released_bytes() const;  // by step: live in it, and not after it
  double cost_of(TaskId task) const { return costs_[task]; }
  const std::vector<double>& costs() const { return costs_; }
  double cost_of_all() const;  // each task of the problem once

 private:
  void read(int step, GraphItemId item);
  void write(int step, const FlatOutput& output, bool again);
  void add(int step, GraphItemId item, std::int64_t bytes, bool is_optional);

  const DeviceGraph& graph_;
  FlatGraph flat_;
  std::vector<double> costs_;
  std::vector<ItemInstance> instances_;
  std::vector<int> now_;  // by item: its latest instance
  std::vector<char> ran_;
  RunNeeds needs_;
  std::vector<std::int64_t> reserved_;
  std::vector<std::int64_t> live_;
  std::vector<std::int64_t> change_;
  std::vector<InPlace> in_place_;
};

// The same for a single sequence.
TaskSequence without_needless_runs(const DeviceGraph& graph, TaskSequence sequence);

}  // namespace stint
