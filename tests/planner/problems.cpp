#include "tests/planner/problems.hpp"

namespace stint {

Platform plain_machine(int workers, std::int64_t alignment_bytes) {
  Platform platform;
  platform.name = "plain";
  platform.nodes = {{"n0", 20.0}};
  Memory ram;
  ram.name = "ram";
  ram.bytes = 1 << 30;
  ram.alignment_bytes = alignment_bytes;
  platform.memories = {ram};
  Device cpu;
  cpu.name = "cpu";
  cpu.kind = "cpu";
  cpu.workers = workers;
  cpu.idle_watts = 8.0;
  PowerState state;
  state.name = "on";
  state.busy_watts = 7.0;
  cpu.states = {state};
  platform.devices = {cpu};
  return platform;
}

Platform beside_disk(Platform machine, double joules_per_byte, double bytes_per_second) {
  Memory disk = machine.memories[0];
  disk.name = "disk";
  disk.kind = MemoryKind::storage;
  machine.memories.push_back(disk);
  for (const int from : {0, 1}) {
    Link link;
    link.from = static_cast<MemoryId>(from);
    link.to = static_cast<MemoryId>(1 - from);
    link.bytes_per_second = bytes_per_second;
    link.joules_per_byte = joules_per_byte;
    machine.links.push_back(link);
  }
  return machine;
}

Platform with_slow_state(Settable settable) {
  Platform platform = plain_machine();
  platform.devices[0].settable = settable;
  PowerState slow;
  slow.name = "slow";
  slow.speed = 0.5;
  slow.busy_watts = 1.0;
  platform.devices[0].states.push_back(slow);
  return platform;
}

Platform two_gpus() {
  return parse_platform(R"({"format": "stint-platform", "version": 1, "name": "two-gpus",
 "nodes": [{"name": "n0", "base_watts": 10,
   "memories": [{"name": "ram", "bytes": 100000}, {"name": "hbm0", "bytes": 10000, "kind": "device"},
                {"name": "hbm1", "bytes": 10000, "kind": "device"}],
   "devices": [{"name": "cpu", "kind": "cpu", "memory": "ram", "workers": 2, "states": [{"name": "on", "speed": 1, "busy_watts": 5}]},
               {"name": "gpu0", "kind": "gpu", "memory": "hbm0", "workers": 1, "states": [{"name": "on", "speed": 1, "busy_watts": 50}]},
               {"name": "gpu1", "kind": "gpu", "memory": "hbm1", "workers": 1, "states": [{"name": "on", "speed": 1, "busy_watts": 50}]}],
   "links": [{"from": "ram", "to": "hbm0", "bytes_per_second": 1000}, {"from": "hbm0", "to": "ram", "bytes_per_second": 1000},
             {"from": "ram", "to": "hbm1", "bytes_per_second": 1000}, {"from": "hbm1", "to": "ram", "bytes_per_second": 1000}]}]})",
                        "two-gpus");
}

Problem problem_of(const Model& model, const Platform& platform, const Request& request) {
  return make_problem(model, platform, request, "graph");
}

Problem problem_of(const std::string& graph_text, const Platform& platform,
                   const Request& request) {
  return problem_of(parse_graph(graph_text, "graph"), platform, request);
}

Request within(const std::string& memory, std::int64_t bytes) {
  Request request;
  request.memory[memory] = bytes;
  return request;
}

}  // namespace stint
