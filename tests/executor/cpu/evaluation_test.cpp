// A trained network is judged as it is, sample by sample, by every sample that was held out.
#include <catch2/catch.hpp>
#include <cstring>

#include "executor/data/state_file.hpp"
#include "files/input_error.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/cifar_files.hpp"
#include "tests/support/network_steps.hpp"

using namespace stint;
using Catch::Contains;

namespace {

constexpr int held_out_images = 7;

TensorId tensor_named(const Graph& graph, const std::string& name) {
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].name == name) return static_cast<TensorId>(t);
  }
  FAIL("no tensor named " << name);
  return no_tensor;
}

void set_images(const LoweredNetwork& lowered, const std::vector<CifarSample>& samples,
                ReferenceStep& step) {
  const TensorId image = tensor_named(lowered.graph, "image");
  const TensorId label = tensor_named(lowered.graph, "label");
  std::size_t at = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    step.set(label, i, samples[i].label);
    for (const std::uint8_t pixel : samples[i].pixels) step.set(image, at++, pixel / 127.5 - 1);
  }
}

void set_state(const LoweredNetwork& lowered, const SavedState& state, ReferenceStep& step) {
  for (const auto& [name, saved] : state.tensors) {
    const TensorId tensor = tensor_named(lowered.graph, name);
    for (std::size_t i = 0; i < saved.bytes.size() / sizeof(float); ++i) {
      float value = 0;
      std::memcpy(&value, saved.bytes.data() + i * sizeof(float), sizeof(float));
      step.set(tensor, i, static_cast<double>(value));
    }
  }
}

void copy_values(const ReferenceStep& from, const std::vector<TensorId>& tensors, TensorId to,
                 ReferenceStep& step) {
  std::size_t at = 0;
  for (const TensorId tensor : tensors) {
    for (const double value : from.values(tensor)) step.set(to, at++, value);
  }
}

// Forward by the definitions: running averages for statistics, dropout as if it were not there.
double reference_loss(const std::vector<CifarSample>& samples, const SavedState& state) {
  const Network network = parse_network(cifar_network, "cifar");
  const Lowering lowering{.batch = held_out_images, .layout = ImageLayout::nchw};
  const LoweredNetwork lowered = lower_with_kernels(network, lowering);
  ReferenceStep step(lowered, 0);
  set_images(lowered, samples, step);
  set_state(lowered, state, step);
  const std::vector<TensorId> averages = {tensor_named(lowered.graph, "norm.running_mean"),
                                          tensor_named(lowered.graph, "norm.running_var")};
  for (std::size_t t = 0; t < lowered.graph.tasks.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    if (task.phase != Phase::forward && task.phase != Phase::loss) continue;
    const std::string& op = lowered.kernels[t].op;
    if (op == "batch_norm.statistics")
      copy_values(step, averages, task.writes[0], step);
    else if (op == "dropout.forward")
      copy_values(step, {task.reads[0]}, task.writes[0], step);
    else
      step.run(static_cast<TaskId>(t));
  }
  return step.loss();
}

Schedule cifar_plan(const PlanWish& wish) {
  return planned(parse_network(cifar_network, "cifar"), wish).value();
}

}  // namespace

TEST_CASE("evaluation uses running averages, drops nothing and takes the last short batch",
          "[evaluation]") {
  const TemporaryFolder folder;
  const auto held_out = random_images(held_out_images, 99);
  write_cifar10(folder, 2, held_out);
  const Request request =
      GENERATE(Request{.batch = 4}, Request{.batch = 4, .microbatches = 2},
               Request{.batch = 4, .leaves = 4, .grain = 1}, Request{.batch = 8, .leaves = 2});
  CAPTURE(request.batch, request.microbatches, request.leaves);
  const int workers = GENERATE(1, 2);
  const std::string file = folder.path("state.npz");
  const RunReport report = trained(
      cifar_plan({.request = request, .workers = workers}), 3,
      {.data = "cifar10:" + folder.path(""), .save_file = file, .held_out_batches = all_batches});
  REQUIRE(report.evaluation);
  CHECK(report.evaluation->samples == held_out_images);
  CHECK(report.evaluation->left_out == 0);
  CHECK(report.evaluation->batches == (request.batch == 4 ? 2 : 1));
  CHECK(report.evaluation->loss ==
        Approx(reference_loss(held_out, read_state(file))).epsilon(1e-5));
  const double right = report.evaluation->accuracy.value() * held_out_images;
  CHECK(right == Approx(std::round(right)));
}

TEST_CASE("samples that an evaluation leaves out are counted", "[evaluation]") {
  const TemporaryFolder folder;
  write_cifar10(folder, 2, random_images(held_out_images, 99));
  const RunOptions options{.data = "cifar10:" + folder.path(""), .held_out_batches = 1};
  const RunReport report = trained(cifar_plan({.request = {.batch = 4}}), 1, options);
  CHECK(report.evaluation->samples == 4);
  CHECK(report.evaluation->left_out == 3);
  CHECK_THAT(summary(report), Contains("over 4 samples (3 left out)"));
  const RunReport read = parse_run_report(run_report_text(report), "report");
  CHECK(read.evaluation->left_out == 3);
}

TEST_CASE("an evaluation changes no state", "[evaluation]") {
  const Schedule schedule = cifar_plan({.request = {.batch = 4}});
  const RunReport judged = trained(schedule, 2, {.held_out_batches = 3});
  CHECK(judged.state_sha256 == trained(schedule, 2).state_sha256);
  CHECK(judged.evaluation->samples == 12);
}

TEST_CASE("generated samples have no end to evaluate to", "[evaluation]") {
  CHECK_THROWS_WITH(
      trained(cifar_plan({.request = {.batch = 4}}), 1, {.held_out_batches = all_batches}),
      Contains("--eval all: ") && Contains("expected a number"));
}
