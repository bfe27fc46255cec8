// Problems for the planner's tests, in few words.
#pragma once

#include <cstdint>
#include <string>

#include "planner/problem.hpp"

namespace stint {

// One memory without links, one "cpu" with one power state: board 20 W, idle 8 W, busy 7 W.
Platform plain_machine(int workers = 1, std::int64_t alignment_bytes = 1);
inline constexpr double plain_machine_watts = 35;

// The same with a second power state of half the speed and a busy watt.
Platform with_slow_state(Settable settable);

// The same machine with a disk, a link each way.
Platform beside_disk(Platform machine, double joules_per_byte, double bytes_per_second);

// A host with a "cpu" and two "gpu"s, each with its own memory; links between host and gpus only.
Platform two_gpus();

Problem problem_of(const Model& model, const Platform& platform, const Request& request = {});
Problem problem_of(const std::string& graph_text, const Platform& platform,
                   const Request& request = {});

// A request with one bound on memory.
Request within(const std::string& memory, std::int64_t bytes);

}  // namespace stint
