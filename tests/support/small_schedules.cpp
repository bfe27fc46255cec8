#include "tests/support/small_schedules.hpp"

#include <algorithm>
#include <string>

#include "files/sha256.hpp"
#include "tests/support/chain_graph.hpp"

namespace stint {
namespace {

constexpr int steps = 5;

std::string numbered(char letter, int number) { return letter + std::to_string(number); }

PowerState power_state(const std::string& name, double speed, double busy_watts) {
  PowerState state;
  state.name = name;
  state.speed = speed;
  state.busy_watts = busy_watts;
  return state;
}

Memory memory(const std::string& name, std::int64_t bytes, MemoryKind kind) {
  Memory memory;
  memory.name = name;
  memory.bytes = bytes;
  memory.kind = kind;
  return memory;
}

Link link(MemoryId from, MemoryId to) {
  Link link;
  link.from = from;
  link.to = to;
  link.bytes_per_second = 2.0;
  link.latency_seconds = 0.5;
  link.joules_per_byte = 2.0;
  return link;
}

// Puts a schedule of the chain together: buffers at given places, actions at given times.
class ChainBuilder {
 public:
  ChainBuilder() {
    schedule_.stint = "0.1.0";
    schedule_.graph = chain_graph(steps);
    schedule_.model = schedule_.graph;
    schedule_.platform = course_machine();
    schedule_.model_sha256 = sha256(model_text(schedule_.model));
    schedule_.platform_sha256 = sha256(platform_text(schedule_.platform));
  }

  BufferId place(const std::string& tensor, std::int64_t offset, MemoryId memory = MemoryId{0}) {
    Buffer buffer;
    buffer.id = static_cast<std::int64_t>(schedule_.buffers.size());
    buffer.tensor = tensors_by_name(schedule_.graph).at(tensor);
    buffer.memory = memory;
    buffer.offset = offset;
    buffer.bytes = schedule_.graph.tensors[buffer.tensor].bytes;
    buffer.initial = tensor == "x0";
    schedule_.buffers.push_back(buffer);
    return static_cast<BufferId>(buffer.id);
  }

  ActionId forward(int step, BufferId from, BufferId to, double start) {
    return compute(numbered('F', step), {from}, to, start);
  }

  // B5…B0: each takes the gradient that the one before it made.
  ActionId backward(int step, BufferId activation, double start) {
    std::vector<BufferId> reads = {activation};
    if (step < steps) reads.push_back(gradient_);
    gradient_ = place(numbered('g', step), 0);
    return compute(numbered('B', step), reads, gradient_, start);
  }

  ActionId copy(const std::string& link, BufferId from, BufferId to, double start) {
    Action action = new_action(link, Do::copy, start);
    action.reads = {from};
    action.writes = {to};
    action.joules = 2.0;
    return add(action);
  }

  void wait_for(ActionId waiting, ActionId awaited) {
    schedule_.actions[waiting].after.push_back(awaited);
  }

  Schedule finish(double seconds, double copy_joules,
                  const std::map<std::string, std::int64_t>& bytes, double lower_bound,
                  const std::string& bound_by) {
    Predicted& predicted = schedule_.predicted;
    predicted.executions = std::count_if(schedule_.actions.begin(), schedule_.actions.end(),
                                         [](const Action& a) { return a.what == Do::compute; });
    predicted.recomputed = predicted.executions - static_cast<int>(schedule_.graph.tasks.size());
    predicted.copied_bytes = static_cast<int>(schedule_.actions.size()) - predicted.executions;
    predicted.seconds = seconds;
    predicted.joules_by.compute = 7.0 * static_cast<double>(predicted.executions);
    predicted.joules_by.copy = copy_joules;
    predicted.joules_by.idle = 8.0 * seconds;
    predicted.joules_by.base = 20.0 * seconds;
    predicted.joules = predicted.joules_by.total();
    predicted.objective = {Objective::energy, predicted.joules, lower_bound,
                           (predicted.joules - lower_bound) / predicted.joules, bound_by};
    predicted.optimal = predicted.joules == lower_bound;
    predicted.peak_bytes = schedule_.arenas = bytes;
    predicted.strategy = "by hand";
    schedule_.request.memory["n0/ram"] = bytes.at("n0/ram");
    schedule_.numerics_sha256 =
        numerics_sha256(schedule_.model_sha256, schedule_.request, schedule_.lowering);
    return std::move(schedule_);
  }

 private:
  ActionId compute(const std::string& task, const std::vector<BufferId>& reads, BufferId write,
                   double start) {
    Action action = new_action("n0/cpu/0", Do::compute, start);
    const auto& tasks = schedule_.graph.tasks;
    const auto found = std::find_if(tasks.begin(), tasks.end(),
                                    [&](const Task& other) { return other.name == task; });
    action.task = static_cast<TaskId>(found - tasks.begin());
    action.state = 0;
    action.reads = reads;
    action.writes = {write};
    action.joules = 7.0;
    return add(action);
  }

  Action new_action(const std::string& worker, Do what, double start) {
    Action action;
    action.id = static_cast<std::int64_t>(schedule_.actions.size());
    action.worker = workers_by_name(workers(schedule_.platform)).at(worker);
    action.what = what;
    action.start_seconds = start;
    action.seconds = 1.0;
    return action;
  }

  ActionId add(const Action& action) {
    schedule_.actions.push_back(action);
    return static_cast<ActionId>(action.id);
  }

  Schedule schedule_;
  BufferId gradient_ = no_buffer;
};

}  // namespace

Platform course_machine(int workers) {
  Platform platform;
  platform.name = "desk";
  platform.nodes = {{"n0", 20.0}};
  platform.memories = {memory("ram", std::int64_t{1} << 34, MemoryKind::ram),
                       memory("disk", std::int64_t{1} << 38, MemoryKind::storage)};
  Device cpu;
  cpu.name = cpu.kind = "cpu";
  cpu.workers = workers;
  cpu.idle_watts = 8.0;
  cpu.states = {power_state("2.8GHz", 1.0, 7.0), power_state("1.6GHz", 0.57, 2.4)};
  platform.devices = {cpu};
  platform.links = {link(MemoryId{0}, MemoryId{1}), link(MemoryId{1}, MemoryId{0})};
  return platform;
}

Schedule chain_kept_whole() {
  ChainBuilder chain;
  std::vector<BufferId> x;
  for (int i = 0; i <= steps; ++i) x.push_back(chain.place(numbered('x', i), i));
  for (int i = 0; i < steps; ++i) chain.forward(i, x[i], x[i + 1], i);
  for (int i = steps; i >= 0; --i) chain.backward(i, x[i], 2 * steps - i);
  return chain.finish(11, 0, {{"n0/ram", 6}}, 385, "work");
}

Schedule chain_recomputed() {
  ChainBuilder chain;
  const BufferId x0 = chain.place("x0", 0), x1 = chain.place("x1", 1), x2 = chain.place("x2", 2),
                 x3 = chain.place("x3", 1), x4 = chain.place("x4", 3), x5 = chain.place("x5", 1),
                 x3_again = chain.place("x3", 1), x1_again = chain.place("x1", 1);
  chain.forward(0, x0, x1, 0);
  chain.forward(1, x1, x2, 1);
  chain.forward(2, x2, x3, 2);
  chain.forward(3, x3, x4, 3);
  chain.forward(4, x4, x5, 4);
  chain.backward(5, x5, 5);
  chain.backward(4, x4, 6);
  chain.forward(2, x2, x3_again, 7);
  chain.backward(3, x3_again, 8);
  chain.backward(2, x2, 9);
  chain.forward(0, x0, x1_again, 10);
  chain.backward(1, x1_again, 11);
  chain.backward(0, x0, 12);
  return chain.finish(13, 0, {{"n0/ram", 4}}, 455, "chain");
}

Schedule chain_offloaded() {
  ChainBuilder chain;
  const BufferId x0 = chain.place("x0", 0), x1 = chain.place("x1", 1), x2 = chain.place("x2", 2),
                 x3 = chain.place("x3", 3), x4 = chain.place("x4", 4), x5 = chain.place("x5", 1),
                 x1_away = chain.place("x1", 0, MemoryId{1}), x1_back = chain.place("x1", 1);
  const ActionId f0 = chain.forward(0, x0, x1, 0);
  const ActionId out = chain.copy("n0/ram>n0/disk", x1, x1_away, 1);
  chain.wait_for(out, f0);
  chain.forward(1, x1, x2, 1);
  chain.forward(2, x2, x3, 2);
  chain.forward(3, x3, x4, 3);
  chain.wait_for(chain.forward(4, x4, x5, 4), out);  // x5 takes the place that x1 leaves
  const ActionId b5 = chain.backward(5, x5, 5);
  const ActionId back = chain.copy("n0/disk>n0/ram", x1_away, x1_back, 6);
  chain.wait_for(back, b5);
  chain.backward(4, x4, 6);
  chain.backward(3, x3, 7);
  chain.backward(2, x2, 8);
  chain.wait_for(chain.backward(1, x1_back, 9), back);
  chain.backward(0, x0, 10);
  return chain.finish(11, 4, {{"n0/ram", 5}, {"n0/disk", 1}}, 385, "work");
}

}  // namespace stint
