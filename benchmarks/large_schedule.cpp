#include "benchmarks/large_schedule.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/seal.hpp"

namespace stint {
namespace {

constexpr int slots = 3;  // addresses of a lane, used in turn
constexpr std::int64_t tensor_bytes = 4096;
constexpr std::int64_t state_bytes = 65536;

Device device(const char* name, MemoryId memory, int workers) {
  Device made;
  made.name = made.kind = name;
  made.memory = memory;
  made.workers = workers;
  made.idle_watts = 10;
  made.states = {{.name = "fast", .busy_watts = 5.0}};
  return made;
}

Link link(int from, int to) {
  Link made;
  made.from = MemoryId{from};
  made.to = MemoryId{to};
  made.bytes_per_second = 1e10;
  made.latency_seconds = 1e-6;
  made.joules_per_byte = 1e-9;
  made.channel = "bus";
  return made;
}

Platform two_devices(int workers) {
  Platform platform;
  platform.name = "two-devices";
  platform.nodes = {{.name = "n0", .base_watts = 20.0}};
  for (const char* name : {"ram", "hbm"}) {
    Memory memory;
    memory.name = name;
    memory.bytes = std::int64_t{1} << 30;
    memory.alignment_bytes = 64;
    platform.memories.push_back(memory);
  }
  platform.devices = {device("cpu", MemoryId{0}, workers), device("gpu", MemoryId{1}, workers)};
  platform.links = {link(0, 1), link(1, 0)};
  return platform;
}

// State, slots in turn, then the place of a copy.
constexpr std::int64_t lane_bytes = state_bytes + (slots + 1) * tensor_bytes;

// Builds graph and schedule side by side, round by round, which is a topological order.
class Builder {
 public:
  Builder(int rounds, const LargeScheduleOptions& options)
      : rounds_(rounds),
        lane_count_(options.lanes),
        lanes_per_device_(options.lanes / 2),
        rounds_per_look_(options.rounds_per_look),
        lanes_(options.lanes) {
    schedule_.platform = two_devices(lanes_per_device_);
    for (int lane = 0; lane < lane_count_; ++lane) start(lane);
    for (int round = 0; round < rounds_; ++round) {
      for (int lane = 0; lane < lane_count_; ++lane) step(round, lane);
    }
    for (int lane = 0; lane < lane_count_; ++lane) finish(lane);
  }

  Schedule result() && { return std::move(schedule_); }

 private:
  // What a lane has done so far, and who else looked at it.
  struct Lane {
    TensorId state_tensor = no_tensor;
    BufferId state_buffer = no_buffer;
    std::array<TensorId, 2> tensors = {};  // of the last round, of the one before
    std::array<BufferId, 2> buffers = {};  // likewise
    std::array<ActionId, 2> actions = {};  // likewise
    std::array<int, slots> readers = {};   // the last foreign action that read each slot; -1: none
    int copy_reader = -1;                  // the action that read the last copy
  };

  static std::string name(const char* what, int round, int lane) {
    return what + std::to_string(round) + "." + std::to_string(lane);
  }

  int device_of(int lane) const { return lane / lanes_per_device_; }
  int neighbour(int lane) const { return (lane + lane_count_ - 1) % lane_count_; }
  bool looks(int round) const { return round > 0 && round % rounds_per_look_ == 0; }
  bool looks_far(int lane) const { return device_of(lane) != device_of(neighbour(lane)); }

  // Every lane has a part of its memory of its own.
  std::int64_t place(int lane, int slot) const {
    return lane % lanes_per_device_ * lane_bytes + state_bytes + slot * tensor_bytes;
  }

  TensorId add_tensor(const std::string& name, std::int64_t bytes, Kind kind) {
    schedule_.graph.tensors.push_back({.name = name, .bytes = bytes, .kind = kind});
    return TensorId(schedule_.graph.tensors.size() - 1);
  }

  BufferId add_buffer(TensorId tensor, int lane, std::int64_t offset, bool initial) {
    Buffer buffer;
    buffer.id = static_cast<std::int64_t>(schedule_.buffers.size());
    buffer.tensor = tensor;
    buffer.memory = MemoryId{device_of(lane)};
    buffer.offset = offset;
    buffer.bytes = schedule_.graph.tensors[tensor].bytes;
    buffer.initial = initial;
    schedule_.buffers.push_back(buffer);
    return BufferId(buffer.id);
  }

  TaskId add_task(const std::string& name, int lane, std::vector<TensorId> reads) {
    Task task;
    task.name = name;
    task.reads = std::move(reads);
    task.seconds = {{lane < lanes_per_device_ ? "cpu" : "gpu", 1e-5 + 1e-7 * lane}};
    schedule_.graph.tasks.push_back(std::move(task));
    return TaskId(schedule_.graph.tasks.size() - 1);
  }

  ActionId add_action(Action action) {
    action.id = static_cast<std::int64_t>(schedule_.actions.size());
    std::sort(action.after.begin(), action.after.end());
    action.after.erase(std::unique(action.after.begin(), action.after.end()), action.after.end());
    schedule_.actions.push_back(std::move(action));
    return ActionId(schedule_.actions.size() - 1);
  }

  void start(int lane) {
    Lane& mine = lanes_[lane];
    mine.readers.fill(-1);
    mine.state_tensor = add_tensor(name("w", 0, lane), state_bytes, Kind::state);
    mine.state_buffer =
        add_buffer(mine.state_tensor, lane, place(lane, 0) - state_bytes, /*initial=*/true);
    mine.tensors[0] = add_tensor(name("input", 0, lane), tensor_bytes, Kind::input);
    mine.buffers[0] = add_buffer(mine.tensors[0], lane, place(lane, slots - 1), /*initial=*/true);
    mine.actions[0] = ActionId{-1};
  }

  // The neighbour's result of the last round: if it is in this lane's memory its buffer, else that
  // of a copy. Says what the reader must come after, and who must not be overtaken by its reuse.
  BufferId look(int round, int lane, Action& reader) {
    const int other = neighbour(lane);
    // The neighbour may have done this round already: lanes go in order, but for the first.
    const std::size_t age = other < lane ? 1 : 0;
    const Lane& there = lanes_[other];
    if (!looks_far(lane)) {
      reader.after.push_back(there.actions[age]);
      return there.buffers[age];
    }
    Lane& mine = lanes_[lane];
    Action copy;
    copy.what = Do::copy;
    copy.worker = WorkerId{lane_count_ + (lane == 0 ? 1 : 0)};  // links follow the devices' workers
    copy.reads = {there.buffers[age]};
    copy.after = {there.actions[age]};
    if (mine.copy_reader >= 0) copy.after.push_back(ActionId{mine.copy_reader});
    copy.writes = {add_buffer(there.tensors[age], lane, place(lane, slots), /*initial=*/false)};
    reader.after.push_back(add_action(copy));
    lanes_[other].readers[slot_of(round - 1)] = reader.after.back();
    return copy.writes[0];
  }

  static std::size_t slot_of(int round) { return static_cast<std::size_t>(round % slots); }

  void step(int round, int lane) {
    Lane& mine = lanes_[lane];
    Action action;
    action.worker = WorkerId{lane};
    std::vector<TensorId> tensors = {mine.state_tensor, mine.tensors[0]};
    action.reads = {mine.state_buffer, mine.buffers[0]};
    if (looks(round)) {
      action.reads.push_back(look(round, lane, action));
      tensors.push_back(schedule_.buffers[action.reads.back()].tensor);
    }
    action.task = add_task(name("T", round, lane), lane, tensors);
    const TensorId written = add_tensor(name("x", round, lane), tensor_bytes, Kind::activation);
    schedule_.graph.tasks[action.task].writes = {written};
    int& overtaken = mine.readers[slot_of(round)];
    if (overtaken >= 0) action.after.push_back(ActionId{overtaken});
    overtaken = -1;
    const BufferId buffer =
        add_buffer(written, lane, place(lane, static_cast<int>(slot_of(round))), false);
    action.writes = {buffer};
    remember(round, lane, written, buffer, add_action(std::move(action)));
  }

  void remember(int round, int lane, TensorId tensor, BufferId buffer, ActionId action) {
    Lane& mine = lanes_[lane];
    mine.tensors = {tensor, mine.tensors[0]};
    mine.buffers = {buffer, mine.buffers[0]};
    mine.actions = {action, mine.actions[0]};
    if (!looks(round)) return;
    if (looks_far(lane)) {
      mine.copy_reader = action;
    } else {
      lanes_[neighbour(lane)].readers[slot_of(round - 1)] = action;
    }
  }

  void finish(int lane) {
    const Lane& mine = lanes_[lane];
    Action action;
    action.worker = WorkerId{lane};
    action.reads = {mine.buffers[0]};
    action.updates = {mine.state_buffer};
    action.task = add_task(name("U", rounds_, lane), lane, {mine.tensors[0]});
    schedule_.graph.tasks[action.task].phase = Phase::update;
    schedule_.graph.tasks[action.task].updates = {mine.state_tensor};
    add_action(std::move(action));
  }

  int rounds_;
  int lane_count_;
  int lanes_per_device_;
  int rounds_per_look_;
  Schedule schedule_;
  std::vector<Lane> lanes_;
};

void add_arenas(Schedule& schedule) {
  for (const Device& device : schedule.platform.devices)
    schedule.arenas[memory_name(schedule.platform, device.memory)] = device.workers * lane_bytes;
}

}  // namespace

Schedule large_schedule(int actions, const LargeScheduleOptions& options) {
  const int actions_per_look = options.lanes * options.rounds_per_look + 2;
  const int looks = std::max(2, actions / actions_per_look);
  Schedule schedule = Builder(looks * options.rounds_per_look, options).result();
  add_arenas(schedule);
  seal(schedule, "lanes");
  return schedule;
}

}  // namespace stint
