#include "tests/planner/placement/two_memories.hpp"

#include <random>

namespace stint {
namespace {

Memory memory(const std::string& name, std::int64_t bytes) {
  Memory added;
  added.name = name;
  added.bytes = bytes;
  return added;
}

Device device(const std::string& name, MemoryId memory, double idle_watts, double busy_watts,
              int states) {
  Device added;
  added.name = name;
  added.kind = name;
  added.memory = memory;
  added.idle_watts = idle_watts;
  added.settable = Settable::action;
  constexpr double speeds[] = {1, 0.75, 0.5};
  constexpr double shares[] = {1, 0.55, 0.28};
  for (int s = 0; s < states; ++s) {
    PowerState state;
    state.name = "s" + std::to_string(s);
    state.speed = speeds[s];
    state.busy_watts = busy_watts * shares[s];
    added.states.push_back(state);
  }
  return added;
}

}  // namespace

Platform two_memories(const TwoMemoriesOptions& options) {
  Platform platform;
  platform.name = "two-memories";
  platform.nodes = {{"n0", 5.0}};
  platform.memories = {memory("ram", 1 << 20), memory("hbm", options.accelerator_bytes)};
  platform.devices = {device("cpu", MemoryId{0}, 2, 20, options.states),
                      device("gpu", MemoryId{1}, 4, 60, options.states)};
  for (const int from : {0, 1}) {
    Link link;
    link.from = static_cast<MemoryId>(from);
    link.to = static_cast<MemoryId>(1 - from);
    link.bytes_per_second = options.bytes_per_second;
    link.joules_per_byte = options.joules_per_byte;
    platform.links.push_back(link);
  }
  return platform;
}

Graph on_two_devices(Graph graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Task& task : graph.tasks) {
    const double tenths = 1 + static_cast<double>(random() % 12);
    task.seconds["gpu"] = task.seconds.at("cpu") * tenths / 10;
  }
  return graph;
}

}  // namespace stint
