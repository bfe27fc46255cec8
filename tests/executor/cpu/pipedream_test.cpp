// PipeDream's semantics, written down a second time: micro-batch after micro-batch, a whole history
// of every weight, and the version that each stage's forward would have seen. Plans of the
// asynchronous pipeline must train to the same bits, in any memory and on any workers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "executor/cpu/kernel_job.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"
#include "models/parts.hpp"
#include "schedules/validate.hpp"
#include "tests/executor/cpu/trainings.hpp"

using namespace stint;

namespace {

using Bytes = std::vector<std::byte>;

// One micro-batch of a network as a step of its own, on plain memory.
class Reference {
 public:
  Reference(const Network& network, const Schedule& schedule)
      : network_(network),
        first_of_stage_(schedule.lowering.pipelined),
        microbatches_(schedule.lowering.microbatches),
        lowering_{.batch = schedule.lowering.batch / microbatches_,
                  .leaves = schedule.lowering.leaves},
        lowered_(lower_with_kernels(network, lowering_)),
        samples_(open_samples("", network, lowering_.batch, 0, false)),
        values_(network, lowered_, lowering_, *samples_, 0),
        pool_(make_cpu_kernel) {
    for (const Tensor& tensor : lowered_.graph.tensors)
      memory_.emplace_back(static_cast<std::size_t>(tensor.bytes) + 64);
  }

  std::string state_after(std::int64_t steps) {
    reset();
    for (std::int64_t step = 0; step < steps; ++step) {
      for (auto& [weight, versions] : history_) versions = {newest(weight)};  // drained
      for (std::int64_t j = 0; j < microbatches_; ++j) run_microbatch(step, j);
    }
    StateBytes state;
    for (int t = 0; t < tensors(); ++t) {
      if (is_state(TensorId{t})) state[tensor(TensorId{t}).name] = newest(TensorId{t});
    }
    return state_sha256(state);
  }

 private:
  int tensors() const { return static_cast<int>(lowered_.graph.tensors.size()); }
  const Tensor& tensor(TensorId id) const { return lowered_.graph.tensors[id]; }
  bool is_state(TensorId id) const { return tensor(id).kind == Kind::state && !tensor(id).part_of; }

  std::byte* at(TensorId id) {
    const auto [root, offset] = place_in_root(lowered_.graph, id);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_[root].data());
    return memory_[root].data() + (64 - address % 64) % 64 + offset;
  }
  Bytes newest(TensorId id) { return {at(id), at(id) + tensor(id).bytes}; }

  void reset() {
    for (int t = 0; t < tensors(); ++t) {
      const TensorId id{t};
      if (!is_state(id)) continue;
      values_.fill_state(id, {at(id), static_cast<std::size_t>(tensor(id).bytes)});
    }
    for (const Task& task : lowered_.graph.tasks) {
      if (is_step(task)) history_[task.updates[0]] = {};
    }
  }
  static bool is_step(const Task& task) {
    return task.op == "sgd.update" || task.op == "adam.update";
  }

  // Of the first layer that has the weight; later ones may share it.
  std::int64_t stages_behind(TensorId weight) const {
    const std::string layer = tensor(weight).name.substr(0, tensor(weight).name.rfind('.'));
    std::int64_t stage = -1;
    for (const Layer& known : network_.layers) {
      if (stage + 1 < std::ssize(first_of_stage_) && known.name == first_of_stage_[stage + 1])
        ++stage;
      if (known.name == layer) return std::ssize(first_of_stage_) - 1 - stage;
    }
    FAIL("no layer " + layer);
    return 0;
  }

  // Forward and backward with the versions that its forward saw, then the newest are updated.
  void run_microbatch(std::int64_t step, std::int64_t j) {
    for (int t = 0; t < tensors(); ++t) {
      const TensorId id{t};
      if (tensor(id).kind == Kind::input && !tensor(id).part_of)
        values_.fill_input(id, step * microbatches_ + j,
                           {at(id), static_cast<std::size_t>(tensor(id).bytes)});
    }
    for (const auto& [weight, versions] : history_) {
      const std::int64_t seen = std::max<std::int64_t>(0, j - stages_behind(weight));
      std::copy(versions[seen].begin(), versions[seen].end(), at(weight));
    }
    for (int t = 0; t < static_cast<int>(lowered_.graph.tasks.size()); ++t) {
      const Task& task = lowered_.graph.tasks[t];
      if (!is_step(task)) run_task(TaskId{t}, step, j * lowering_.batch);
    }
    for (int t = 0; t < static_cast<int>(lowered_.graph.tasks.size()); ++t) {
      const Task& task = lowered_.graph.tasks[t];
      if (!is_step(task)) continue;
      auto& versions = history_.at(task.updates[0]);
      std::copy(versions.back().begin(), versions.back().end(), at(task.updates[0]));
      run_task(TaskId{t}, step * microbatches_ + j, 0);
      versions.push_back(newest(task.updates[0]));
    }
  }

  void run_task(TaskId id, std::int64_t step, std::int64_t first_sample) {
    const Task& task = lowered_.graph.tasks[id];
    TaskKernel kernel = lowered_.kernels[id];
    kernel.first_sample = first_sample;
    KernelJob job(kernel, pool_, 0);
    std::vector<std::byte> workspace(job.workspace_bytes() + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    TaskAddresses addresses{.workspace = workspace.data() + (64 - address % 64) % 64};
    const auto point = [&](const std::vector<TensorId>& list,
                           std::vector<TaskAddresses::Halves>& halves) {
      for (const TensorId tensor : list) halves.push_back({at(tensor), at(tensor)});
    };
    point(task.reads, addresses.reads);
    point(task.writes, addresses.writes);
    point(task.updates, addresses.updates_from);
    point(task.updates, addresses.updates_to);
    job.point_to(addresses);
    job.run(step);
  }

  const Network& network_;
  std::vector<std::string> first_of_stage_;
  std::int64_t microbatches_;
  Lowering lowering_;
  LoweredNetwork lowered_;
  std::unique_ptr<SampleSource> samples_;
  NetworkValues values_;
  KernelPool pool_;
  std::vector<Bytes> memory_;  // by tensor
  std::map<TensorId, std::vector<Bytes>> history_;
};

Request asking(int stages, int microbatches) {
  Request request{.batch = 2 * microbatches, .microbatches = microbatches, .leaves = 2};
  request.pipeline = "pipedream";
  request.stages = stages;
  return request;
}

}  // namespace

TEST_CASE("an asynchronous pipeline trains to the bits of PipeDream's semantics", "[pipedream]") {
  const Network network =
      GENERATE(bundled_network("mlp"), normalised_network(), small_transformer());
  const int stages = GENERATE(1, 2, 3);
  CAPTURE(network.name, stages);
  const auto schedule = planned(network, {.request = asking(stages, 5), .workers = 3});
  REQUIRE(schedule);
  CHECK(validate(*schedule).empty());
  CHECK(schedule->pipelined);
  CHECK(trained(*schedule, 2).state_sha256 == Reference(network, *schedule).state_after(2));
}

TEST_CASE("an asynchronous pipeline's bits depend on neither workers, memory, cuts nor fusing",
          "[pipedream]") {
  const Network network = bundled_network("lenet5");
  const auto first = planned(network, {.request = asking(3, 4), .workers = 3});
  REQUIRE(first);
  const std::string expected = Reference(network, *first).state_after(2);
  CHECK(trained(*first, 2).state_sha256 == expected);
  CHECK(trained(*first, 2).state_sha256 == expected);
  const auto expect_same = [&](const PlanWish& wish) {
    CAPTURE(wish.workers, wish.request.grain, wish.request.memory.size());
    const auto other = planned(network, wish);
    REQUIRE(other);
    CHECK(other->numerics_sha256 == first->numerics_sha256);
    CHECK(trained(*other, 2).state_sha256 == expected);
  };
  for (const int workers : {1, 2, 6}) {
    PlanWish wish{.request = asking(3, 4), .workers = workers};
    wish.request.grain = workers == 6 ? 1 : 0;
    wish.request.fuse = workers != 2;
    expect_same(wish);
  }
  PlanWish bounded{.request = asking(3, 4), .workers = 3};
  bounded.request.memory["n0/ram"] = first->arenas.at("n0/ram");
  expect_same(bounded);
  Request synchronous = asking(3, 4);
  synchronous.pipeline = "1f1b";
  const auto plain = planned(network, {.request = synchronous, .workers = 3});
  CHECK(plain->numerics_sha256 != first->numerics_sha256);
  CHECK(trained(*plain, 2).state_sha256 != expected);
}
