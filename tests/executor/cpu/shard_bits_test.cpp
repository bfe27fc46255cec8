// Layers in shards: heads change no bit, other shards are numerics of the request, and then neither
// workers nor cuts nor devices change one.
#include <catch2/catch.hpp>

#include "executor/data/state_file.hpp"
#include "executor/step_data.hpp"
#include "planner/plan.hpp"
#include "tests/executor/cpu/sharded_networks.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

// Two CPUs with memories of their own, or one.
Platform desks(int devices, int workers) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = workers;
  if (devices == 1) return platform;
  const Device first = platform.devices[0];
  const Memory ram = platform.memories[first.memory];
  platform.memories.push_back(ram);
  platform.memories.back().name = "ram1";
  const auto second = static_cast<MemoryId>(platform.memories.size() - 1);
  platform.devices.push_back(first);
  platform.devices.back().name = "cpu1";
  platform.devices.back().memory = second;
  Link link{.from = first.memory, .to = second, .bytes_per_second = 1e11};
  platform.links.push_back(link);
  std::swap(link.from, link.to);
  platform.links.push_back(link);
  return platform;
}

Schedule planned_for(const Platform& platform, const ShardedCase& it, std::int64_t grain = 0) {
  Request request{.objective = Objective::time, .batch = 4, .leaves = 4, .strategy = "keep-all"};
  request.shards = it.shards;
  request.grain = grain;
  return plan(make_problem(it.network, platform, request, it.network.name), {}).schedule.value();
}

}  // namespace

TEST_CASE("shards train as whole layers do, with the same bits on any workers in any cuts",
          "[shard]") {
  const ShardedCase it = GENERATE(from_range(sharded_cases()));
  CAPTURE(it.network.name, it.shards.size());
  const Schedule one = planned_for(desks(1, 1), it);
  const RunReport report = trained(one, 2);
  CHECK(trained(planned_for(desks(1, 3), it, 1), 2).state_sha256 == report.state_sha256);
  CHECK(trained(planned_for(desks(2, 1), it), 2).state_sha256 == report.state_sha256);

  const Schedule whole = planned_for(desks(1, 1), {it.network, {}});
  const RunReport expected = trained(whole, 2);
  for (std::size_t i = 0; i < expected.loss.size(); ++i)
    CHECK(report.loss[i] == Approx(expected.loss[i]).epsilon(1e-4));
  const bool only_heads = it.shards.size() == 1 && it.shards[0].by == ShardBy::heads;
  CHECK((report.state_sha256 == expected.state_sha256) == only_heads);
  CHECK((one.numerics_sha256 == whole.numerics_sha256) == only_heads);
}

TEST_CASE("state that whole layers saved is loaded by shards, and saved by them as listed",
          "[shard]") {
  const TemporaryFolder folder;
  const ShardedCase it = sharded_cases()[0];
  const Schedule whole = planned_for(desks(1, 1), {it.network, {}});
  const std::string file = folder.path("state.npz");
  trained(whole, 2, {.save_file = file});
  const RunReport expected = trained(whole, 1, {.load_file = file});
  const std::string saved = folder.path("saved.npz");
  const RunReport report =
      trained(planned_for(desks(2, 1), it), 1, {.load_file = file, .save_file = saved});
  CHECK(report.loss[0] == Approx(expected.loss[0]).epsilon(1e-6));
  StateBytes state;
  for (const auto& [name, tensor] : load_state(saved, it.network.loss.kind).tensors) {
    const auto* bytes = reinterpret_cast<const std::byte*>(tensor.bytes.data());
    state[name].assign(bytes, bytes + tensor.bytes.size());
  }
  CHECK(state_sha256(state) == report.state_sha256);
}
