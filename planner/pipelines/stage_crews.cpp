#include "planner/pipelines/stage_crews.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr int most_tried = 16;  // stages, unless more are asked for

double seconds_of_all(const Problem& problem, int device) {
  const auto& row = problem.seconds[device];
  const PowerState& state = problem.platform().devices[device].states.front();
  return std::accumulate(row.begin(), row.end(), 0.0) / state.speed;
}

// Devices that run every task, the fastest first.
std::vector<int> capable(const Problem& problem) {
  std::vector<int> devices;
  for (std::size_t d = 0; d < problem.seconds.size(); ++d) {
    if (std::isfinite(seconds_of_all(problem, static_cast<int>(d))))
      devices.push_back(static_cast<int>(d));
  }
  std::stable_sort(devices.begin(), devices.end(), [&](int a, int b) {
    return seconds_of_all(problem, a) < seconds_of_all(problem, b);
  });
  return devices;
}

int workers_of(const Problem& problem, int device) {
  return problem.platform().devices[device].workers;
}

// The part-th of so many equal runs of the device's workers.
std::vector<WorkerId> run_of(const Problem& problem, int device, int part, int parts) {
  const int workers = workers_of(problem, device);
  std::vector<WorkerId> run;
  for (int w = workers * part / parts; w < workers * (part + 1) / parts; ++w)
    run.push_back(static_cast<WorkerId>(problem.first_worker[device] + w));
  return run;
}

StageCrews on_devices(const Problem& problem, std::vector<int> devices) {
  std::sort(devices.begin(), devices.end());
  StageCrews crews;
  for (const int device : devices) crews.push_back(run_of(problem, device, 0, 1));
  return crews;
}

StageCrews on_device(const Problem& problem, int device, int stages) {
  StageCrews crews;
  for (int stage = 0; stage < stages; ++stage)
    crews.push_back(run_of(problem, device, stage, stages));
  return crews;
}

// Each further stage to the device that has most workers for each of its stages.
StageCrews spread(const Problem& problem, const std::vector<int>& devices, int stages) {
  std::vector<int> count(problem.seconds.size(), 0);
  for (int stage = 0; stage < stages; ++stage) {
    const auto room = [&](int device) {
      return static_cast<double>(workers_of(problem, device)) / (count[device] + 1);
    };
    ++count[*std::max_element(devices.begin(), devices.end(),
                              [&](int a, int b) { return room(a) < room(b); })];
  }
  StageCrews crews;
  for (std::size_t d = 0; d < count.size(); ++d) {
    for (int part = 0; part < count[d]; ++part)
      crews.push_back(run_of(problem, static_cast<int>(d), part, count[d]));
  }
  return crews;
}

}  // namespace

std::vector<StageCrews> stage_crews(const Problem& problem, int stages) {
  const std::vector<int> devices = capable(problem);
  std::vector<StageCrews> all;
  if (static_cast<int>(devices.size()) >= stages)
    all.push_back(on_devices(problem, {devices.begin(), devices.begin() + stages}));
  for (const int device : devices) {
    const bool is_known = stages == 1 && device == devices.front();
    if (workers_of(problem, device) >= stages && !is_known)
      all.push_back(on_device(problem, device, stages));
  }
  if (all.empty() && most_stages(problem) >= stages)
    all.push_back(spread(problem, devices, stages));
  return all;
}

StageCrews shared_crews(const Problem& problem, int stages) {
  std::vector<WorkerId> all;
  for (const int device : capable(problem)) {
    for (const WorkerId worker : run_of(problem, device, 0, 1)) all.push_back(worker);
  }
  StageCrews crews;
  for (int stage = 0; stage < stages; ++stage) crews.push_back({all[all.size() * stage / stages]});
  return crews;
}

int most_stages(const Problem& problem) {
  int workers = 0;
  for (const int device : capable(problem)) workers += workers_of(problem, device);
  return workers;
}

std::vector<int> stage_counts(const Problem& problem, const PipelineTasks& tasks,
                              const PipelineRequest& asked) {
  const int workers = most_stages(problem);
  if (workers == 0)
    throw InputError("--pipeline", "no device runs every task; expected one that does");
  const bool is_decided = asked.kinds == std::vector{PipelineKind::pipedream};
  if (is_decided) return {asked.stages};
  if (asked.stages > tasks.layers)
    throw InputError("--stages", fmt::format("{} stages; expected at most {}, as there are layers",
                                             asked.stages, tasks.layers));
  if (asked.stages > workers)
    throw InputError("--stages", fmt::format("{} stages; expected at most {}, as there are workers",
                                             asked.stages, workers));
  if (asked.stages > 0) return {asked.stages};
  const int most = std::min({workers, tasks.layers, most_tried});
  std::vector<int> counts;
  for (int stages = 2; stages < most; stages *= 2) counts.push_back(stages);
  counts.push_back(most);
  return counts;
}

}  // namespace stint
