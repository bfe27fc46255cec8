#include "tests/executor/cpu/trainings.hpp"

#include "planner/memory_request.hpp"
#include "planner/plan.hpp"
#include "tests/support/run_program.hpp"

namespace stint {

Network normalised_network() {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "normalised",
    "inputs": [{"name": "image", "shape": ["batch", 3, 12, 12]},
               {"name": "label", "shape": ["batch"], "type": "int32"}],
    "layers": [
      {"name": "conv1", "op": "conv2d", "inputs": ["image"], "filters": 8, "kernel": [3, 3],
       "padding": [1, 1], "bias": false},
      {"name": "norm1", "op": "batch_norm", "inputs": ["conv1"]},
      {"name": "relu1", "op": "relu", "inputs": ["norm1"]},
      {"name": "conv2", "op": "conv2d", "inputs": ["relu1"], "filters": 8, "kernel": [3, 3],
       "padding": [1, 1], "bias": false},
      {"name": "norm2", "op": "batch_norm", "inputs": ["conv2"]},
      {"name": "sum", "op": "add", "inputs": ["norm2", "relu1"]},
      {"name": "relu2", "op": "relu", "inputs": ["sum"]},
      {"name": "drop", "op": "dropout", "inputs": ["relu2"], "probability": 0.1},
      {"name": "mean", "op": "global_avg_pool", "inputs": ["drop"]},
      {"name": "flat", "op": "flatten", "inputs": ["mean"]},
      {"name": "fc", "op": "linear", "inputs": ["flat"], "features": 4}],
    "loss": {"op": "cross_entropy", "inputs": ["fc", "label"]},
    "optimizer": {"op": "sgd", "learning_rate": 0.1, "momentum": 0.9}})",
                       "normalised");
}

Network small_transformer() {
  return parse_network(R"({"format": "stint-model", "version": 1, "name": "transformer",
    "inputs": [{"name": "tokens", "shape": ["batch", 12], "type": "int32"},
               {"name": "label", "shape": ["batch", 12], "type": "int32"}],
    "layers": [
      {"name": "word", "op": "embedding", "inputs": ["tokens"], "entries": 16, "width": 32},
      {"name": "position", "op": "bias", "inputs": ["word"], "shape": [12, 32]},
      {"name": "norm1", "op": "layer_norm", "inputs": ["position"]},
      {"name": "qkv", "op": "linear", "inputs": ["norm1"], "features": 96},
      {"name": "parts", "op": "split", "inputs": ["qkv"], "outputs": ["q", "k", "v"],
       "sizes": [32, 32, 32], "axis": 2},
      {"name": "attention", "op": "attention", "inputs": ["q", "k", "v"], "heads": 2,
       "causal": true},
      {"name": "merge", "op": "linear", "inputs": ["attention"], "features": 32},
      {"name": "sum1", "op": "add", "inputs": ["position", "merge"]},
      {"name": "norm2", "op": "layer_norm", "inputs": ["sum1"]},
      {"name": "wide", "op": "linear", "inputs": ["norm2"], "features": 64},
      {"name": "gelu", "op": "gelu", "inputs": ["wide"]},
      {"name": "narrow", "op": "linear", "inputs": ["gelu"], "features": 32},
      {"name": "sum2", "op": "add", "inputs": ["sum1", "narrow"]},
      {"name": "scores", "op": "linear", "inputs": ["sum2"], "features": 16, "bias": false,
       "weight_of": "word"}],
    "loss": {"op": "cross_entropy", "inputs": ["scores", "label"]},
    "optimizer": {"op": "adam", "learning_rate": 0.003, "weight_decay": 0.1}})",
                       "transformer");
}

Network bundled_network(const std::string& name) {
  return read_network(bundled("models/" + name + ".json"));
}

namespace {

constexpr std::int64_t thinner = 8;

struct Thin {
  void operator()(Linear& linear) const { linear.features /= thinner; }
  void operator()(Conv2d& conv) const { thin(conv); }
  void operator()(ConvTranspose2d& conv) const { thin(conv); }
  template <typename Other>
  void operator()(Other&) const {}

  template <typename Convolution>
  void thin(Convolution& conv) const {
    conv.filters = (conv.filters + thinner - 1) / thinner;
    if (conv.groups > 1) conv.groups /= thinner;
  }
};

}  // namespace

Network thin_network(const std::string& name, std::int64_t pixels) {
  Network network = bundled_network(name);
  for (NetworkInput& input : network.inputs) {
    for (Dimension& dimension : input.shape) {
      if (dimension.count > 3) dimension.count = pixels;
    }
  }
  for (Layer& layer : network.layers) std::visit(Thin{}, layer.kind);
  check(network);
  return network;
}

std::optional<Schedule> planned(const Network& network, const PlanWish& wish) {
  Platform platform = read_platform(bundled("platforms/desk.json"));
  platform.devices[0].workers = wish.workers;
  Request request = wish.request;
  request.limit = 0.2;
  if (wish.memory_percent > 0) {
    const auto option = parse_memory_option(std::to_string(wish.memory_percent) + "%");
    request.memory = memory_bounds({option}, network, platform, request, network.name);
  }
  return plan(make_problem(network, platform, request, network.name), {}).schedule;
}

RunReport trained(const Schedule& schedule, std::int64_t steps, RunOptions options) {
  options.steps = steps;
  options.warmup_steps = 0;
  return run(schedule, options, false);
}

}  // namespace stint
