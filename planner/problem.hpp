// What is to be planned: a model lowered to a graph, a machine, a request, and what every strategy
// and every bound asks of them again and again. Made once, never changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.hpp"
#include "models/segments.hpp"
#include "platforms/names.hpp"
#include "platforms/platform.hpp"
#include "schedules/schedule.hpp"

namespace stint {

struct Problem {
  Schedule blank;  // inputs, lowering, request and hashes; no actions yet
  std::vector<Worker> workers;
  std::vector<WorkerId> first_worker;  // of every device; its workers follow each other
  std::vector<WorkerId> link_worker;   // of every link
  Segments segments;
  std::vector<std::vector<TaskId>> before;  // what each task depends on, versions of state included
  // Of `before` only those whose results the task reads. Nothing gets around these; that an update
  // waits for readers of the old version, a second buffer of the state would.
  std::vector<std::vector<TaskId>> needs;
  std::vector<std::vector<double>>
      seconds;  // [device][task] at speed 1; infinite: cannot run there
  std::vector<std::int64_t> capacity_bytes;  // by memory: what it holds, or less if so requested

  const Graph& graph() const { return blank.graph; }
  const Platform& platform() const { return blank.platform; }
  const Request& request() const { return blank.request; }
  const Device& device_of(WorkerId worker) const {
    return platform().devices[workers[worker].device];
  }
};

// Throws InputError if the model cannot be lowered as requested, if a task can run on no device, or
// if the request makes no sense. `model_file` is the name that messages use.
Problem make_problem(const Model& model, const Platform& platform, const Request& request,
                     const std::string& model_file);

// The same model on the same machine, asked otherwise.
Problem with_request(const Problem& problem, const Request& request);

// How a network is cut: along leaves, and parameters by ranges of their elements.
struct Grain {
  std::vector<Cut> cuts;
  std::vector<ParameterSplit> splits;
  bool operator==(const Grain&) const = default;
};

// The same with layers cut that way, whatever grain the request asks for.
Problem make_problem(const Model& model, const Platform& platform, const Request& request,
                     const Grain& grain, const std::string& model_file);

// How many of a device's power states a plan may choose from: with `settable: none` only the first.
int choosable_states(const Device& device);

// Of all devices together.
int all_workers(const Platform& platform);

// What is on whatever happens: nodes, idle devices, memories.
double always_on_watts(const Platform& platform);

// Sizes beyond this are all the same to us: nothing holds them, and sums of two still fit.
inline constexpr std::int64_t huge_bytes = std::int64_t{1} << 61;
std::int64_t capped_sum(std::int64_t a, std::int64_t b);  // at most huge_bytes

// Rounded up to the alignment of the memory, as every buffer is; at most huge_bytes.
std::int64_t aligned(std::int64_t bytes, const Memory& memory);

}  // namespace stint
