// The bits of a step: the same whenever it is run, wherever its buffers lie, and however its tasks
// are cut along their leaves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "models/training/fuse.hpp"
#include "tests/support/network_steps.hpp"
#include "tests/support/operation_networks.hpp"

using namespace stint;

namespace {

using StateBytes = std::map<std::string, std::vector<std::byte>>;

void put_some(const LoweredNetwork& lowered, double number, ReferenceStep& start) {
  for (std::size_t i = 0; i < lowered.graph.tensors.size(); ++i) {
    const Tensor& tensor = lowered.graph.tensors[i];
    if (tensor.kind != Kind::input || tensor.part_of || !tensor.name.starts_with("image")) continue;
    for (const std::size_t at : {7, 31, 32}) start.set(static_cast<TensorId>(i), at, number);
  }
}

// State after one step, and the loss.
StateBytes run_step(const LoweredNetwork& lowered, std::int64_t misalignment_bytes,
                    double some_pixels = 0) {
  ReferenceStep start(lowered, 3);
  if (some_pixels != 0) put_some(lowered, some_pixels, start);
  KernelStep kernels(lowered, misalignment_bytes);
  copy_given(lowered, start, kernels);
  for (std::size_t i = 0; i < lowered.graph.tasks.size(); ++i) kernels.run(static_cast<TaskId>(i));
  StateBytes bytes{{"loss", kernels.bytes(lowered.graph.results[0])}};
  for (std::size_t i = 0; i < lowered.graph.tensors.size(); ++i) {
    const Tensor& tensor = lowered.graph.tensors[i];
    if (tensor.kind == Kind::state) bytes[tensor.name] = kernels.bytes(static_cast<TensorId>(i));
  }
  return bytes;
}

std::set<std::string> fused_ops(const LoweredNetwork& lowered) {
  std::set<std::string> ops;
  for (const TaskKernel& kernel : lowered.kernels) {
    const bool is_fused = std::holds_alternative<FusedConvolution>(kernel.origin) ||
                          std::holds_alternative<FusedNorm>(kernel.origin) ||
                          std::holds_alternative<FusedPool>(kernel.origin) ||
                          std::holds_alternative<FusedProduct>(kernel.origin);
    if (is_fused) ops.insert(kernel.op);
  }
  return ops;
}

}  // namespace

TEST_CASE("a step gives the same bits again, at other addresses too", "[kernels]") {
  const std::string name = GENERATE(from_range(operation_network_names()));
  CAPTURE(name);
  const LoweredNetwork lowered =
      lower_with_kernels(operation_network(name), {.batch = 4, .leaves = 2});
  const StateBytes once = run_step(lowered, 0);
  CHECK(run_step(lowered, 0) == once);
  CHECK(run_step(lowered, 4) == once);
  CHECK(run_step(lowered, 32) == once);
}

TEST_CASE("cut along its leaves a step gives the same bits", "[kernels]") {
  const std::string name = GENERATE(from_range(operation_network_names()));
  const std::int64_t leaves_of_piece = GENERATE(1, 2);
  CAPTURE(name, leaves_of_piece);
  const Network network = operation_network(name);
  Lowering lowering{.batch = 10, .microbatches = 2, .leaves = 5};
  const StateBytes whole = run_step(lower_with_kernels(network, lowering), 0);
  for (const Layer& layer : network.layers) lowering.cuts.push_back({layer.name, leaves_of_piece});
  lowering.cuts.push_back({"loss", leaves_of_piece});
  CHECK(run_step(lower_with_kernels(network, lowering), 0) == whole);
}

TEST_CASE("layers computed in one go give the bits of the layers one by one", "[kernels]") {
  const std::string name = GENERATE("bands", "bands_between", "joined", "post-ops");
  const ImageLayout layout = GENERATE(ImageLayout::nhwc, ImageLayout::nchw);
  const std::int64_t leaves_of_piece = GENERATE(0, 1, 2);
  const double bad = GENERATE(0.0, INFINITY, NAN);
  CAPTURE(name, to_string(layout), leaves_of_piece, bad);
  const Network network = operation_network(name);
  Lowering lowering{.batch = 10, .microbatches = 2, .leaves = 5, .layout = layout};
  const StateBytes one_by_one = run_step(lower_with_kernels(network, lowering), 0, bad);
  lowering.fuse = true;
  lowering.post_ops = all_post_ops();
  lowering.cuts = uniform_cuts(network, leaves_of_piece);
  const LoweredNetwork fused = lower_with_kernels(network, lowering);
  CHECK_FALSE(fused_ops(fused).empty());
  CHECK(run_step(fused, 0, bad) == one_by_one);
  CHECK(run_step(fused, 4, bad) == one_by_one);
}

TEST_CASE("every way to fuse is among the networks whose bits are compared", "[kernels]") {
  const LoweredNetwork joined =
      lower_with_kernels(operation_network("joined"), {.batch = 2, .fuse = true});
  CHECK(fused_ops(joined) ==
        std::set<std::string>{"batch_norm_add_relu.forward", "batch_norm_relu.backward_data",
                              "batch_norm_relu.backward_weights", "batch_norm_relu.forward",
                              "conv2d_then_relu.forward", "conv2d_then_relu_pool.forward",
                              "linear_then_relu.forward", "relu_pool.backward",
                              "relu_pool.forward"});
  const LoweredNetwork others = lower_with_kernels(
      operation_network("post-ops"), {.batch = 2, .fuse = true, .post_ops = all_post_ops()});
  CHECK(fused_ops(others) ==
        std::set<std::string>{"conv2d_then_add_relu.forward", "conv2d_then_tanh.forward",
                              "linear_then_add.forward", "linear_then_affine_add.forward",
                              "linear_then_gelu.forward", "linear_then_sigmoid.forward",
                              "linear_then_tanh.forward"});
}
