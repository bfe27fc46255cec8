// Every kernel for GPUs against its reference, task by task, so that errors do not add up: on the
// host implementation of CUDA's libraries, which this program is linked with.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "executor/accelerator.hpp"
#include "executor/arenas.hpp"
#include "executor/calibrate/gpu_step.hpp"
#include "executor/operands.hpp"
#include "executor/planned_kernels.hpp"
#include "models/training/gpu_workspace.hpp"
#include "platforms/platform.hpp"
#include "tests/support/bundled_files.hpp"
#include "tests/support/network_steps.hpp"
#include "tests/support/operation_networks.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

constexpr DeviceId gpu{0};

const Platform& one_gpu() {
  static const Platform platform = read_platform(bundled("tests/cuda/gpu_only.json"));
  return platform;
}

std::vector<std::byte> to_bytes(const std::vector<double>& values, Element element) {
  std::vector<std::byte> bytes(values.size() * bytes_of(element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<float>(values[i]);
    const auto integer = static_cast<std::int32_t>(values[i]);
    const void* from = element == Element::f32 ? static_cast<const void*>(&number) : &integer;
    std::memcpy(bytes.data() + i * bytes_of(element), from, bytes_of(element));
  }
  return bytes;
}

std::vector<float> to_floats(const std::vector<std::byte>& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

double largest(const std::vector<double>& values) {
  double found = 0;
  for (const double value : values) found = std::max(found, std::abs(value));
  return found;
}

// Tasks of a step, one at a time on a GPU: given bytes in, results out. Every tensor lies where it
// does in the step, so results may lie where operands did. The schedule has one action, in whose
// place all tasks run: it is the last of its stream, so that its end is waited for.
class TasksOnGpu {
 public:
  TasksOnGpu(const NetworkStep& step, const LoweredNetwork& lowered)
      : lowered_(lowered), schedule_(gpu_step(step, lowered.graph, one_gpu(), gpu)) {
    actions_ = schedule_.actions;
    schedule_.actions.resize(1);
    accelerator_ = open_accelerator(schedule_, 0);
    arenas_ = std::make_unique<Arenas>(schedule_, StorageFolders{}, accelerator_.get());
  }

  void put(TensorId tensor, const std::vector<std::byte>& bytes) {
    arenas_->put(place_of(tensor), 0, bytes);
  }
  std::vector<std::byte> get(TensorId tensor) const { return arenas_->get(place_of(tensor), 0); }

  void run(TaskId id, const std::string& algorithm) {
    const Task& task = lowered_.graph.tasks[id];
    auto job =
        accelerator_->kernel(in_its_place, lowered_.kernels[id], {algorithm, task.workspace_bytes});
    REQUIRE(job->workspace_bytes() <= task.workspace_bytes);
    if (!algorithm.empty()) REQUIRE(job->algorithm() == algorithm);
    Operands operands{.reads = places_of(task.reads),
                      .writes = places_of(task.writes),
                      .updates_from = places_of(task.updates),
                      .updates_to = places_of(task.updates)};
    if (actions_[id].workspace != no_buffer)
      operands.workspace = place(schedule_, actions_[id].workspace);
    point_to(*job, operands, *arenas_);
    accelerator_->in_place(in_its_place, std::move(job))->run(0);
  }

 private:
  static constexpr ActionId in_its_place{0};

  Place place_of(TensorId tensor) const {
    return place(schedule_, BufferId{static_cast<int>(tensor)});
  }
  std::vector<Place> places_of(const std::vector<TensorId>& tensors) const {
    std::vector<Place> places;
    for (const TensorId tensor : tensors) places.push_back(place_of(tensor));
    return places;
  }

  const LoweredNetwork& lowered_;
  Schedule schedule_;
  std::vector<Action> actions_;  // by task
  std::unique_ptr<Accelerator> accelerator_;
  std::unique_ptr<Arenas> arenas_;
};

// A step by references, whose every task is computed on a GPU as well.
class ComparedStep {
 public:
  ComparedStep(const NetworkStep& step, const LoweredNetwork& lowered)
      : lowered_(lowered), reference_(lowered, 2), on_gpu_(step, lowered) {
    reference_.round_results();
  }

  void compare(TaskId id) {
    const Task& task = lowered_.graph.tasks[id];
    CAPTURE(task.name, task.shape);
    std::map<TensorId, std::vector<std::byte>> given;
    for (const auto* list : {&task.reads, &task.updates})
      for (const TensorId tensor : *list) given[tensor] = bytes(tensor);
    reference_.run(id);
    for (const std::string& algorithm : algorithms(task)) {
      CAPTURE(algorithm);
      for (const auto& [tensor, before] : given) on_gpu_.put(tensor, before);
      on_gpu_.run(id, algorithm);
      for (const auto* list : {&task.writes, &task.updates})
        for (const TensorId tensor : *list) check(task, tensor, on_gpu_.get(tensor));
    }
  }

 private:
  // The library's, and the loops that stand in for it; with much workspace, and with little.
  static std::vector<std::string> algorithms(const Task& task) {
    if (task.op.starts_with("conv")) return {"", "stint direct"};
    if (task.op.starts_with("attention")) return {"cublas attention", "cublas attention by head"};
    return {""};
  }

  // Where a maximum came from is the kernel's own affair.
  std::vector<std::byte> bytes(TensorId tensor) const {
    const auto own = own_.find(tensor);
    if (own != own_.end()) return own->second;
    return to_bytes(reference_.values(tensor), reference_.element(tensor));
  }

  void check(const Task& task, TensorId tensor, const std::vector<std::byte>& found_bytes) {
    if (reference_.element(tensor) != Element::f32) {
      own_[tensor] = found_bytes;
      return;
    }
    CAPTURE(lowered_.graph.tensors[tensor].name);
    const std::vector<double> expected = reference_.values(tensor);
    const std::vector<float> found = to_floats(found_bytes);
    REQUIRE(found.size() == expected.size());
    // Roundings are in proportion to what is added up, which may cancel out.
    double inputs = 0;
    for (const TensorId read : task.reads)
      inputs = std::max(inputs, largest(reference_.values(read)));
    const double most = 2e-5 * largest(expected) + 1e-6 * inputs;
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i, found[i], expected[i], most);
      if (std::abs(static_cast<double>(found[i]) - expected[i]) <= most) continue;
      FAIL_CHECK("a kernel differs from its reference");
      return;
    }
  }

  const LoweredNetwork& lowered_;
  ReferenceStep reference_;
  TasksOnGpu on_gpu_;
  std::map<TensorId, std::vector<std::byte>> own_;  // not of floats
};

// With room for attention by all heads.
NetworkStep with_room(NetworkStep step) {
  const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
  std::map<std::pair<std::string, std::string>, PinnedKernel> pinned;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    const auto needs = known_gpu_needs(lowered.kernels[t]);
    if (!needs || !task.op.starts_with("attention")) continue;
    const std::int64_t bytes = std::max(needs->workspace_bytes, task.workspace_bytes);
    pinned[{task.op, task.shape}] = {cuda_kind, task.op, task.shape, needs->algorithm, "", bytes};
  }
  for (const auto& [key, kernel] : pinned) step.lowering.kernels.push_back(kernel);
  return step;
}

void compare_step(const NetworkStep& asked) {
  const NetworkStep step = with_room(asked);
  const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
  ComparedStep compared(step, lowered);
  for (std::size_t t = 0; t < lowered.graph.tasks.size(); ++t)
    compared.compare(TaskId{static_cast<int>(t)});
}

}  // namespace

TEST_CASE("kernels for GPUs compute what their references do, in both layouts and in any leaves",
          "[cuda]") {
  const std::string name = GENERATE(from_range(operation_network_names()));
  const ImageLayout layout = GENERATE(ImageLayout::nhwc, ImageLayout::nchw);
  const auto [microbatches, leaves] =
      GENERATE(table<std::int64_t, std::int64_t>({std::make_tuple(1, 1), std::make_tuple(2, 3)}));
  CAPTURE(name, to_string(layout), microbatches, leaves);
  compare_step({operation_network(name),
                {.batch = 6, .microbatches = microbatches, .leaves = leaves, .layout = layout}});
}

TEST_CASE("attention on GPUs takes queries in several blocks", "[cuda]") {
  compare_step({parse_network(R"({"format": "stint-model", "version": 1, "name": "long",
     "inputs": [{"name": "x", "shape": ["batch", 150, 6]}, {"name": "target", "shape": ["batch", 150, 8]}],
     "layers": [{"name": "q", "op": "linear", "inputs": ["x"], "features": 4},
                {"name": "k", "op": "linear", "inputs": ["x"], "features": 4},
                {"name": "v", "op": "linear", "inputs": ["x"], "features": 8},
                {"name": "attend", "op": "attention", "inputs": ["q", "k", "v"], "heads": 2, "causal": true}],
     "loss": {"op": "mse", "inputs": ["attend", "target"]},
     "optimizer": {"op": "sgd", "learning_rate": 0.1}})",
                              "long"),
                {.batch = 2}});
}

TEST_CASE("every task of every bundled network has a kernel for GPUs", "[cuda]") {
  const std::vector<std::string> files = bundled_files("models", "stint-model");
  REQUIRE(files.size() >= 18);
  for (const std::string& file : files) {
    CAPTURE(file);
    const NetworkStep step{std::get<Network>(read_model(file)), {.batch = 2}};
    const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
    const Schedule schedule = gpu_step(step, lowered.graph, one_gpu(), gpu);
    const auto accelerator = open_accelerator(schedule, 0);
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
      const Task& task = lowered.graph.tasks[t];
      if (!seen.emplace(task.op, task.shape).second) continue;
      CAPTURE(task.name);
      const auto job = accelerator->kernel(ActionId{static_cast<int>(t)}, lowered.kernels[t],
                                           {"", task.workspace_bytes});
      CHECK(job->workspace_bytes() <= task.workspace_bytes);
    }
  }
}
