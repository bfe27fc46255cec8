// Trains a network by its plan, or by StarPU with the tasks of that plan's graph, and prints one
// line of JSON: seconds of the steps, the share of the time in which workers were idle, and the
// hash of the state in the end.
//
//     train_with SCHEDULE stint|eager|lws|dmda [STEPS] [WARMUP]
//
// A scheduler of StarPU's sums as the graph does; with "+redux" after its name, worker by worker.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "benchmarks/starpu/starpu_training.hpp"
#include "benchmarks/starpu/stint_training.hpp"
#include "files/input_error.hpp"
#include "schedules/validate.hpp"

using namespace stint;

namespace {

TrainedSteps train(const Schedule& schedule, std::string who, int warmup_steps, int steps) {
  if (who == "stint") return train_by_plan(schedule, warmup_steps, steps);
  constexpr std::string_view redux = "+redux";
  const bool by_worker = who.ends_with(redux);
  if (by_worker) who.resize(who.size() - redux.size());
  return train_by_starpu(schedule, who, by_worker ? Summing::by_worker : Summing::by_tree,
                         warmup_steps, steps);
}

void run(const std::string& file, const std::string& who, int steps, int warmup_steps) {
  constexpr double workers = 2;
  const Schedule schedule = read_schedule(file);
  if (!std::holds_alternative<Network>(schedule.model))
    throw InputError(file, "a schedule of tasks; expected one of a network");
  if (!validate(schedule).empty()) throw InputError(file, "not valid; expected a valid schedule");
  const TrainedSteps trained = train(schedule, who, warmup_steps, steps);
  const double all = std::accumulate(trained.seconds.begin(), trained.seconds.end(), 0.0);
  fmt::print("{{\"who\": \"{}\", \"seconds\": [{}], \"idle\": {:.4f}, \"state_sha256\": \"{}\"}}\n",
             who, fmt::join(trained.seconds, ", "), 1 - trained.busy_seconds / (workers * all),
             trained.state_sha256);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3 || argc > 5)
      throw InputError("arguments", "expected SCHEDULE stint|eager|lws|dmda [STEPS] [WARMUP]");
    run(argv[1], argv[2], argc > 3 ? std::stoi(argv[3]) : 10, argc > 4 ? std::stoi(argv[4]) : 3);
  } catch (const std::exception& error) {
    fmt::print(stderr, "train_with: {}\n", error.what());
    return 1;
  }
  return 0;
}
