#include "planner/placement/block_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stint {
namespace {

constexpr std::size_t most_patterns = 256;
constexpr double most_combinations = 2e5;    // of ways, in all patterns
constexpr std::int64_t waits_of_a_copy = 3;  // by which it may lengthen the block, at most

std::vector<MemoryId> memories_of(const PlacedGraph& graph, TaskId task) {
  std::vector<MemoryId> memories;
  for (const PlacedWay& way : graph.ways[task]) memories.push_back(graph.memory_of(way.device));
  std::sort(memories.begin(), memories.end());
  memories.erase(std::unique(memories.begin(), memories.end()), memories.end());
  return memories;
}

std::vector<DeviceId> devices_of(const PlacedGraph& graph, TaskId task) {
  std::vector<DeviceId> devices;
  for (const PlacedWay& way : graph.ways[task]) devices.push_back(way.device);
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

// Something that keeps a device or the links of a memory busy, with what is before and after it.
struct Turn {
  int machine = 0;
  std::int64_t head = 0;
  std::int64_t length = 0;
  std::int64_t tail = 0;
};

// No order of the turns on the machine is shorter.
std::int64_t one_machine(const std::vector<Turn>& turns, int machine, std::int64_t workers) {
  std::int64_t longest = 0;
  for (const Turn& a : turns) {
    for (const Turn& b : turns) {
      if (a.machine != machine || b.machine != machine) continue;
      std::int64_t together = 0;
      for (const Turn& turn : turns) {
        if (turn.machine == machine && turn.head >= a.head && turn.tail >= b.tail)
          together += turn.length;
      }
      if (together > 0) longest = std::max(longest, a.head + together / workers + b.tail);
    }
  }
  return longest;
}

// The block as numbers from 0, its first task, to the last, the one behind it.
class Block {
 public:
  Block(const PlacedGraph& graph, const RelaxedUnits& units, const WorkBetween& block,
        std::int64_t price)
      : graph_(graph), units_(units), prices_(graph.problem->platform()), price_(price) {
    tasks_ = {block.first};
    tasks_.insert(tasks_.end(), block.tasks.begin(), block.tasks.end());
    tasks_.push_back(block.then);
    for (const Device& device : graph.problem->platform().devices) {
      if (std::find(memories_.begin(), memories_.end(), device.memory) == memories_.end())
        memories_.push_back(device.memory);
    }
    memory_.resize(tasks_.size());
    length_.resize(tasks_.size());
    device_.resize(tasks_.size());
    before_.resize(tasks_.size());
    for (std::size_t t = 1; t < tasks_.size(); ++t) {
      for (const TaskId other : graph.problem->needs[tasks_[t]]) {
        const int index = index_of(other);
        if (index >= 0) before_[t].push_back(index);
      }
    }
    for (std::size_t t = 0; t + 1 < tasks_.size(); ++t) add_writer(static_cast<int>(t));
  }

  std::int64_t least(const BlockPattern& pattern) {
    memory_.front() = pattern.first_memory;
    memory_.back() = pattern.then_memory;
    for (std::size_t t = 0; t < pattern.devices.size(); ++t) {
      device_[t + 1] = pattern.devices[t];
      memory_[t + 1] = graph_.memory_of(pattern.devices[t]);
    }
    find_crossings();
    least_ = INT64_MAX;
    cross(0, 0);
    return least_;
  }

 private:
  // An item that a task of the block writes, and others of it read.
  struct Item {
    int writer = 0;
    std::vector<int> readers;
    std::vector<std::int64_t> joules;   // by memory: of a copy into it
    std::vector<std::int64_t> seconds;  // likewise
    std::vector<std::int64_t> busy;     // of the links there
    std::vector<char> is_possible;
  };

  int index_of(TaskId task) const {
    const auto found = std::find(tasks_.begin(), tasks_.end(), task);
    return found == tasks_.end() ? -1 : static_cast<int>(found - tasks_.begin());
  }

  void add_writer(int writer) {
    const std::size_t memories = graph_.problem->platform().memories.size();
    for (const GraphOutput& output : graph_.flat.tasks[tasks_[writer]].writes) {
      if (!graph_.is_whole[output.item]) continue;
      Item item;
      item.writer = writer;
      for (const TaskId reader : graph_.readers[output.item]) {
        const int index = index_of(reader);
        if (index > writer) item.readers.push_back(index);
      }
      if (item.readers.empty()) continue;
      const TensorId tensor = graph_.flat.items[output.item].tensor;
      const std::int64_t bytes = graph_.problem->graph().tensors[tensor].bytes;
      item.joules.assign(memories, 0);
      item.seconds = item.busy = item.joules;
      item.is_possible.assign(memories, 0);
      for (const MemoryId memory : memories_) {
        const TransferPrice price = prices_.into(memory, memories_, bytes);
        if (!std::isfinite(price.joules)) continue;
        item.is_possible[memory] = 1;
        item.joules[memory] = units_.joules_down(price.joules);
        item.seconds[memory] = units_.seconds_down(price.seconds);
        item.busy[memory] = units_.seconds_down(prices_.busy_seconds_into(memory, bytes));
      }
      items_.push_back(std::move(item));
    }
  }

  // What tasks of a memory read that was written in another: copied there, or written there again.
  struct Crossing {
    int writer = 0;
    MemoryId memory = no_memory;
    std::vector<int> items;
    std::vector<int> readers;  // there
    std::optional<std::int64_t> copy_joules;
    std::optional<std::int64_t> again_joules;
    std::int64_t again_seconds = 0;
    int again_device = -1;  // if only one can
    bool is_again = false;
  };

  // Those of the pattern at hand.
  void find_crossings() {
    crossings_.clear();
    for (int writer = 0; writer + 1 < std::ssize(tasks_); ++writer) {
      for (const MemoryId memory : memories_) {
        if (memory_[writer] != memory) add_crossing(writer, memory);
      }
    }
  }

  void add_crossing(int writer, MemoryId memory) {
    Crossing crossing;
    crossing.writer = writer;
    crossing.memory = memory;
    std::int64_t joules = 0;
    std::int64_t seconds = 0;
    bool can_copy = true;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::size_t readers = crossing.readers.size();
      for (const int reader : items_[i].readers) {
        if (items_[i].writer == writer && memory_[reader] == memory)
          crossing.readers.push_back(reader);
      }
      if (crossing.readers.size() == readers) continue;
      crossing.items.push_back(static_cast<int>(i));
      can_copy = can_copy && items_[i].is_possible[memory] != 0;
      joules += items_[i].joules[memory];
      seconds += items_[i].seconds[memory];
    }
    if (crossing.items.empty()) return;
    if (can_copy) crossing.copy_joules = joules;
    find_again(crossing);
    const bool is_worse = can_copy && crossing.again_joules.value_or(0) >=
                                          joules + waits_of_a_copy * price_ * (seconds + 1);
    if (is_worse) crossing.again_joules.reset();
    if (crossing.copy_joules || crossing.again_joules) crossings_.push_back(std::move(crossing));
  }

  // What running the writer in that memory takes at least.
  void find_again(Crossing& crossing) const {
    const TaskId task = tasks_[crossing.writer];
    if (!graph_.problem->request().recompute || graph_.flat.tasks[task].runs_once) return;
    for (const PlacedWay& way : graph_.ways[task]) {
      if (graph_.memory_of(way.device) != crossing.memory) continue;
      const std::int64_t joules = units_.joules_down(way.joules);
      const std::int64_t seconds = units_.seconds_down(way.seconds);
      const bool is_first = !crossing.again_joules;
      crossing.again_joules = is_first ? joules : std::min(joules, *crossing.again_joules);
      crossing.again_seconds = is_first ? seconds : std::min(seconds, crossing.again_seconds);
      if (is_first) crossing.again_device = way.device;
      if (crossing.again_device != way.device) crossing.again_device = -1;
    }
  }

  // Tries all ways to bring things across from the given crossing on, copies first.
  void cross(std::size_t c, std::int64_t joules) {
    if (joules >= least_) return;
    if (c == crossings_.size()) {
      settle_waits();
      return choose(1, joules);
    }
    Crossing& crossing = crossings_[c];
    for (const bool is_again : {false, true}) {
      const auto& each = is_again ? crossing.again_joules : crossing.copy_joules;
      if (!each) continue;
      crossing.is_again = is_again;
      cross(c + 1, joules + *each);
    }
  }

  void choose(std::size_t t, std::int64_t joules) {
    if (joules >= least_) return;
    if (t + 1 == tasks_.size()) {
      if (joules + price_ * busiest_device() < least_)
        least_ = std::min(least_, joules + price_ * least_seconds());
      return;
    }
    for (const PlacedWay& way : graph_.ways[tasks_[t]]) {
      if (way.device != device_[t]) continue;
      length_[t] = units_.seconds_down(way.seconds);
      choose(t + 1, joules + units_.joules_down(way.joules));
    }
  }

  std::int64_t busiest_device() {
    const auto& devices = graph_.problem->platform().devices;
    busy_.assign(devices.size(), 0);
    for (std::size_t t = 1; t + 1 < tasks_.size(); ++t) busy_[device_[t]] += length_[t];
    std::int64_t most = 0;
    for (std::size_t d = 0; d < busy_.size(); ++d)
      most = std::max(most, busy_[d] / devices[d].workers);
    return most;
  }

  std::int64_t& wait(int writer, int reader) { return waits_[writer * tasks_.size() + reader]; }

  void settle_waits() {
    waits_.assign(tasks_.size() * tasks_.size(), 0);
    for (const Crossing& crossing : crossings_) {
      if (crossing.is_again) continue;
      for (const int i : crossing.items) {
        for (const int reader : items_[i].readers) {
          std::int64_t& waits = wait(crossing.writer, reader);
          if (memory_[reader] == crossing.memory)
            waits = std::max(waits, items_[i].seconds[crossing.memory]);
        }
      }
    }
  }

  std::int64_t length_of(int task) const {
    return task == 0 || task + 1 == std::ssize(tasks_) ? 0 : length_[task];
  }

  // When any execution of the task may begin: after first ones of all that it needs.
  std::int64_t earliest(int task) const {
    std::int64_t least = 0;
    for (const int other : before_[task]) least = std::max(least, heads_[other] + length_of(other));
    return least;
  }

  std::int64_t least_seconds() {
    const auto count = static_cast<int>(tasks_.size());
    heads_.assign(count, 0);
    tails_.assign(count, 0);
    for (int t = 1; t < count; ++t) {
      for (const int other : before_[t])
        heads_[t] = std::max(heads_[t], heads_[other] + length_of(other) + wait(other, t));
      for (const Crossing& crossing : crossings_) {
        const bool is_ours = crossing.is_again && crossing.writer > 0 &&
                             std::find(crossing.readers.begin(), crossing.readers.end(), t) !=
                                 crossing.readers.end();
        if (is_ours)
          heads_[t] = std::max(heads_[t], earliest(crossing.writer) + crossing.again_seconds);
      }
    }
    for (int t = count; t-- > 1;) {
      for (const int other : before_[t])
        tails_[other] = std::max(tails_[other], tails_[t] + length_of(t) + wait(other, t));
    }
    return std::max({heads_.back(), least_by_devices(), least_by_links()});
  }

  std::int64_t tail_before(const std::vector<int>& readers) const {
    std::int64_t tail = 0;
    for (const int reader : readers) tail = std::max(tail, tails_[reader] + length_of(reader));
    return tail;
  }

  // The first task's other executions may have run before.
  std::int64_t least_by_devices() {
    const auto& devices = graph_.problem->platform().devices;
    turns_.clear();
    for (int t = 1; t + 1 < std::ssize(tasks_); ++t)
      turns_.push_back({device_[t], heads_[t], length_[t], tails_[t]});
    for (const Crossing& crossing : crossings_) {
      if (crossing.is_again && crossing.writer > 0 && crossing.again_device >= 0)
        turns_.push_back({crossing.again_device, earliest(crossing.writer), crossing.again_seconds,
                          tail_before(crossing.readers)});
    }
    std::int64_t longest = 0;
    for (std::size_t d = 0; d < devices.size(); ++d)
      longest = std::max(longest, one_machine(turns_, static_cast<int>(d), devices[d].workers));
    return longest;
  }

  std::int64_t least_by_links() {
    turns_.clear();
    for (const Crossing& crossing : crossings_) {
      if (crossing.is_again) continue;
      const std::int64_t head = heads_[crossing.writer] + length_of(crossing.writer);
      for (const int i : crossing.items) {
        std::int64_t tail = 0;
        for (const int reader : items_[i].readers) {
          if (memory_[reader] == crossing.memory)
            tail = std::max(tail, tails_[reader] + length_of(reader));
        }
        turns_.push_back({crossing.memory, head, items_[i].busy[crossing.memory], tail});
      }
    }
    std::int64_t longest = 0;
    for (const MemoryId memory : memories_)
      longest = std::max(longest, one_machine(turns_, memory, 1));
    return longest;
  }

  const PlacedGraph& graph_;
  const RelaxedUnits& units_;
  TransferPrices prices_;
  std::int64_t price_;
  std::vector<TaskId> tasks_;
  std::vector<MemoryId> memories_;
  std::vector<std::vector<int>> before_;  // by task of the block
  std::vector<Item> items_;
  // The pattern at hand, and its states.
  std::vector<MemoryId> memory_;
  std::vector<DeviceId> device_;
  std::vector<Crossing> crossings_;
  std::vector<std::int64_t> waits_;  // for copies, by writer and reader
  std::vector<std::int64_t> length_;
  std::vector<std::int64_t> busy_;  // by device
  std::vector<std::int64_t> heads_;
  std::vector<std::int64_t> tails_;
  std::vector<Turn> turns_;
  std::int64_t least_ = 0;
};

}  // namespace

bool BlockPatterns::are_few(const PlacedGraph& graph, const WorkBetween& block) {
  const auto ends = memories_of(graph, block.first).size() * memories_of(graph, block.then).size();
  auto patterns = static_cast<double>(ends);
  auto combinations = static_cast<double>(ends);
  for (const TaskId task : block.tasks) {
    patterns *= static_cast<double>(devices_of(graph, task).size());
    combinations *= static_cast<double>(graph.ways[task].size());
  }
  return patterns <= most_patterns && combinations <= most_combinations;
}

BlockPatterns::BlockPatterns(const PlacedGraph& graph, const RelaxedUnits& units,
                             const WorkBetween& block)
    : graph_(graph), units_(units), block_(block) {
  for (const MemoryId first : memories_of(graph, block.first)) {
    for (const MemoryId then : memories_of(graph, block.then))
      patterns_.push_back({first, then, {}});
  }
  for (const TaskId task : block.tasks) {
    std::vector<BlockPattern> longer;
    for (const BlockPattern& pattern : patterns_) {
      for (const DeviceId device : devices_of(graph, task)) {
        longer.push_back(pattern);
        longer.back().devices.push_back(device);
      }
    }
    patterns_ = std::move(longer);
  }
}

std::vector<std::int64_t> BlockPatterns::least_at(std::int64_t price) const {
  Block block(graph_, units_, block_, price);
  std::vector<std::int64_t> least;
  for (const BlockPattern& pattern : patterns_) least.push_back(block.least(pattern));
  return least;
}

}  // namespace stint
