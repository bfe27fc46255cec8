// What holds of plans on several devices, whichever they are: a processor and an accelerator, two
// kinds of cores in one memory, a processor and two accelerators. They are never worse than the
// best device alone, and more of anything never costs more.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "models/model.hpp"
#include "planner/memory_sweep.hpp"
#include "planner/plan.hpp"
#include "planner/power/time_sweep.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

enum class Machine { cpu_gpu, two_kinds_of_cores, cpu_two_gpus };

// The accelerators' memories, and how fast links are.
struct MachineAmounts {
  std::int64_t bytes = 1 << 20;
  double deadline_seconds = 1000;
  double bytes_per_second = 10;
};

Platform cores_in_one_memory() {
  Platform platform = two_memories();
  platform.memories.pop_back();
  platform.links.clear();
  platform.devices[1].memory = MemoryId{0};
  return platform;
}

Platform machine_of(Machine machine, double bytes_per_second) {
  if (machine == Machine::cpu_gpu) return two_memories({3, bytes_per_second});
  if (machine == Machine::two_kinds_of_cores) return cores_in_one_memory();
  Platform platform = two_gpus();
  for (Link& link : platform.links) link.bytes_per_second = bytes_per_second;
  return platform;
}

// Devices by name, each with seconds of its own: so that a task can be kept from one of two alike.
Graph training_on(const Platform& platform, std::uint64_t seed, bool with_updates) {
  RandomTrainingOptions options;
  options.layers = 3;
  options.with_updates = with_updates;
  Graph graph = on_two_devices(random_training(seed, options), seed);
  for (Task& task : graph.tasks) {
    const auto seconds = task.seconds;
    task.seconds.clear();
    for (const Device& device : platform.devices)
      task.seconds[device.name] = seconds.at(device.kind);
  }
  return graph;
}

Graph alone_on(Graph graph, const std::string& device) {
  for (Task& task : graph.tasks)
    std::erase_if(task.seconds, [&](const auto& entry) { return entry.first != device; });
  return graph;
}

Request request_on(const Platform& platform, const MachineAmounts& amounts) {
  Request request;
  const bool is_one = platform.memories.size() == 1;
  for (std::size_t m = is_one ? 0 : 1; m < platform.memories.size(); ++m)
    request.memory[memory_name(platform, static_cast<MemoryId>(m))] = amounts.bytes;
  request.deadline_seconds = amounts.deadline_seconds;
  request.limit = 0.3;
  return request;
}

std::optional<double> least_joules(const Graph& graph, const Platform& platform,
                                   const MachineAmounts& amounts) {
  const Outcome outcome = plan(problem_of(graph, platform, request_on(platform, amounts)), {});
  if (!outcome.schedule) return std::nullopt;
  CHECK(validate(*outcome.schedule).empty());
  return outcome.schedule->predicted.objective.value;
}

// From the least amount on: once there is a plan there always is, and none costs more than the one
// before.
template <typename Amount>
void check_sweep(Machine machine, std::uint64_t seeds, const std::vector<Amount>& amounts,
                 const std::function<void(Amount, MachineAmounts&)>& set) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::optional<double> last;
    for (const Amount amount : amounts) {
      MachineAmounts all;
      set(amount, all);
      const Platform platform = machine_of(machine, all.bytes_per_second);
      CAPTURE(platform.name, seed, amount);
      const auto joules = least_joules(training_on(platform, seed, seed % 2 == 1), platform, all);
      if (last) REQUIRE(joules);
      if (last) CHECK(*joules <= *last * (1 + 1e-9));
      if (joules) last = joules;
    }
    CHECK(last);
  }
}

void sweep_memory(Machine machine, std::uint64_t seeds) {
  check_sweep<std::int64_t>(machine, seeds, {16, 22, 28, 34, 46, 100},
                            [](std::int64_t bytes, MachineAmounts& all) { all.bytes = bytes; });
}

void sweep_deadline(Machine machine, std::uint64_t seeds) {
  check_sweep<double>(machine, seeds, {12, 16, 20, 26, 34, 100},
                      [](double seconds, MachineAmounts& all) {
                        all.deadline_seconds = seconds;
                        all.bytes = 60;
                      });
}

void sweep_links(Machine machine, std::uint64_t seeds) {
  check_sweep<double>(machine, seeds, {0.5, 1, 3, 10, 100}, [](double speed, MachineAmounts& all) {
    all.bytes_per_second = speed;
    all.bytes = 30;
  });
}

Machine any_machine() {
  return GENERATE(Machine::cpu_gpu, Machine::two_kinds_of_cores, Machine::cpu_two_gpus);
}

void check_frontier(const Frontier& frontier) {
  REQUIRE(!frontier.points.empty());
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierEntry& point = frontier.points[i];
    CHECK(*point.lower_bound <= *point.joules * (1 + 1e-9));
    if (i == 0) continue;
    const FrontierEntry& before = frontier.points[i - 1];
    CHECK(*point.joules < *before.joules);
    CHECK((point.bytes > before.bytes || point.deadline_seconds > before.deadline_seconds));
  }
}

}  // namespace

TEST_CASE("several devices are never worse than the best of them alone", "[placement]") {
  const Machine machine = any_machine();
  const Platform platform = machine_of(machine, 10);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Graph graph = training_on(platform, seed, seed % 2 == 0);
    for (const std::int64_t bytes : {24, 40, 10000}) {
      CAPTURE(platform.name, seed, bytes);
      const auto together = least_joules(graph, platform, {bytes});
      for (const Device& device : platform.devices) {
        CAPTURE(device.name);
        const auto alone = least_joules(alone_on(graph, device.name), platform, {bytes});
        if (alone) REQUIRE(together);
        if (alone) CHECK(*together <= *alone * (1 + 1e-9));
      }
    }
  }
}

TEST_CASE("on several devices energy falls or stays when memories grow", "[placement]") {
  sweep_memory(any_machine(), 4);
}

TEST_CASE("on several devices energy falls or stays when the deadline grows", "[placement]") {
  sweep_deadline(any_machine(), 4);
}

TEST_CASE("on several devices energy falls or stays when links are faster", "[placement]") {
  sweep_links(GENERATE(Machine::cpu_gpu, Machine::cpu_two_gpus), 4);
}

TEST_CASE("the same sweeps for many graphs", "[.many]") {
  const Machine machine = any_machine();
  sweep_memory(machine, 60);
  sweep_deadline(machine, 60);
  if (machine != Machine::two_kinds_of_cores) sweep_links(machine, 60);
}

TEST_CASE("frontiers of several devices fall", "[placement][frontier]") {
  const Platform platform = machine_of(any_machine(), 10);
  CAPTURE(platform.name);
  Request request;
  request.limit = 1;
  const Problem problem = problem_of(training_on(platform, 1, true), platform, request);
  check_frontier(memory_sweep(problem, {}));
  const Frontier by_time = time_sweep(problem, {});
  check_frontier(by_time);
  CHECK(by_time.points.size() > 1);
}

TEST_CASE("a network on a processor and an accelerator is never worse than on one", "[placement]") {
  const Model model = read_model(bundled("models/lenet5.json"));
  const Platform platform = read_platform(bundled("tests/cuda/cpu_gpu.json"));
  std::optional<double> last;
  for (const std::int64_t kib : {600, 900}) {
    CAPTURE(kib);
    Request request = within("n0/hbm", kib * 1024);
    request.batch = 8;
    request.limit = 0.1;
    const auto joules = [&](const Platform& machine) -> std::optional<double> {
      const Outcome outcome = plan(problem_of(model, machine, request), {});
      if (!outcome.schedule) return std::nullopt;
      CHECK(validate(*outcome.schedule).empty());
      return outcome.schedule->predicted.objective.value;
    };
    const auto together = joules(platform);
    REQUIRE(together);
    if (last) CHECK(*together <= *last * (1 + 1e-9));
    last = together;
    for (std::size_t slow = 0; slow < 2; ++slow) {
      Platform other = platform;  // the other device is there, and so slow that it is of no use
      for (auto& [op, times] : other.devices[slow].time_model)
        for (auto& [what, seconds] : times.terms) seconds = seconds * 1e9;
      const auto alone = joules(other);
      if (alone) CHECK(*together <= *alone * (1 + 1e-9));
    }
  }
}
