#include "benchmarks/graphs/placed_graphs.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace stint {
namespace {

class Making {
 public:
  Making(const std::string& kind, int tasks, int seed)
      : kind_(kind), layers_((tasks - 1) / 2), random_(static_cast<std::uint64_t>(seed)) {}

  Graph make() {
    graph_.name = kind_;
    outputs_.push_back(tensor("x", Kind::input, 64));
    for (int l = 0; l < layers_; ++l) forward(l);
    Task loss = task("loss", Phase::loss, 1);
    loss.reads = {outputs_.back()};
    gradients_.resize(outputs_.size());
    gradients_.back() = {tensor("loss_gradient", Kind::activation, 1)};
    loss.writes = gradients_.back();
    graph_.tasks.push_back(loss);
    for (int l = layers_ - 1; l >= 0; --l) backward(l);
    return graph_;
  }

 private:
  int pick(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<std::uint64_t>(to - from + 1));
  }
  TensorId tensor(const std::string& name, Kind kind, int megabytes) {
    Tensor added;
    added.name = name;
    added.kind = kind;
    added.bytes = std::int64_t{megabytes} << 20;
    graph_.tensors.push_back(added);
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }
  Task task(const std::string& name, Phase phase, int milliseconds) {
    Task added;
    added.name = name;
    added.phase = phase;
    const double seconds = milliseconds * 1e-3 * pick(8, 12) / 10;
    added.seconds["gpu"] = seconds;
    added.seconds["cpu"] = seconds * pick(2, 12);
    return added;
  }

  // Which outputs a layer reads; 0 is the input of the step.
  std::vector<int> sources(int layer) {
    const int last = layer;
    if (kind_ == "residual" && layer % 3 == 2) return {last, last - 2};
    if (kind_ == "unet" && layer > layers_ / 2) return {last, layers_ - layer};
    if (kind_ == "branches" && layer > 0) return of_branches(layer);
    if (kind_ == "transformer" && layer > 0) return of_transformer(layer);
    if (kind_ == "layered" && layer > 0) return of_layers(layer);
    if (kind_ == "random" && layer > 1 && pick(0, 2) == 0) return {last, pick(1, layer - 1)};
    return {last};
  }
  // Every fifth task joins the four before it, which read the joint before them.
  static std::vector<int> of_branches(int layer) {
    const int in_block = (layer - 1) % 5;
    const int joint = layer - in_block;
    if (in_block < 4) return {joint};
    return {joint + 1, joint + 2, joint + 3, joint + 4};
  }

  // Seven tasks a block: three that read its input, attention, the sum with the input, two more of
  // which the second adds that sum.
  static std::vector<int> of_transformer(int layer) {
    const int in_block = (layer - 1) % 7;
    const int input = layer - in_block;
    if (in_block < 3) return {input};
    if (in_block == 3) return {input + 1, input + 2, input + 3};
    if (in_block == 4) return {input, input + 4};
    return in_block == 5 ? std::vector{input + 5} : std::vector{input + 5, input + 6};
  }
  // Layers of three tasks, each of which reads one to three of the layer before.
  std::vector<int> of_layers(int layer) {
    const int group = (layer - 1) / 3;
    if (group == 0) return {1};
    std::vector<int> read;
    for (int source = 3 * group - 1; source <= 3 * group + 1; ++source) {
      const bool is_last = source == 3 * group + 1;
      if (pick(0, 1) == 0 || (is_last && read.empty())) read.push_back(source);
    }
    return read;
  }

  void forward(int layer) {
    Task added = task("F" + std::to_string(layer), Phase::forward, pick(2, 20));
    sources_.push_back(sources(layer));
    for (const int source : sources_.back()) added.reads.push_back(outputs_[source]);
    outputs_.push_back(tensor("y" + std::to_string(layer), Kind::activation, pick(8, 160)));
    added.writes = {outputs_.back()};
    graph_.tasks.push_back(added);
  }

  void backward(int layer) {
    Task added = task("B" + std::to_string(layer), Phase::backward, pick(4, 40));
    added.reads = gradients_[layer + 1];
    for (const int source : sources_[layer]) {
      added.reads.push_back(outputs_[source]);
      const std::string name = "d" + std::to_string(layer) + "_" + std::to_string(source);
      const auto bytes = graph_.tensors[outputs_[source]].bytes >> 20;
      const TensorId gradient = tensor(name, Kind::activation, static_cast<int>(bytes));
      gradients_[source].push_back(gradient);
      added.writes.push_back(gradient);
    }
    graph_.tasks.push_back(added);
  }

  std::string kind_;
  int layers_;
  std::mt19937_64 random_;
  Graph graph_;
  std::vector<TensorId> outputs_;
  std::vector<std::vector<int>> sources_;         // by layer
  std::vector<std::vector<TensorId>> gradients_;  // by output
};

Device device_of(const std::string& kind, MemoryId memory, double idle_watts,
                 const std::vector<std::pair<double, double>>& states) {
  Device device;
  device.name = device.kind = kind;
  device.memory = memory;
  device.idle_watts = idle_watts;
  device.settable = Settable::action;
  for (const auto& [speed, watts] : states) {
    PowerState state;
    state.name = "s" + std::to_string(device.states.size());
    state.speed = speed;
    state.busy_watts = watts;
    device.states.push_back(state);
  }
  return device;
}

void connect(MemoryId a, MemoryId b, Platform& platform) {
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    Link link;
    link.from = from;
    link.to = to;
    link.bytes_per_second = 12e9;
    link.latency_seconds = 1e-5;
    link.active_watts = 8.0;
    platform.links.push_back(link);
  }
}

}  // namespace

const std::vector<std::string>& placed_kinds() {
  static const std::vector<std::string> kinds{"chain",  "residual",    "unet",   "branches",
                                              "random", "transformer", "layered"};
  return kinds;
}

Graph placed_graph_of(const std::string& kind, int tasks, int seed) {
  return Making(kind, tasks, seed).make();
}

Platform processor_and_accelerator() {
  Platform platform;
  platform.name = "processor and accelerator";
  platform.nodes = {{"n0", 20.0}};
  Memory ram;
  ram.name = "ram";
  ram.bytes = std::int64_t{1} << 40;
  Memory hbm = ram;
  hbm.name = "hbm";
  hbm.kind = MemoryKind::device;
  platform.memories = {hbm, ram};
  platform.devices = {
      device_of("gpu", MemoryId{0}, 40, {{1.0, 180.0}, {0.78, 105.0}, {0.55, 58.0}}),
      device_of("cpu", MemoryId{1}, 20, {{1.0, 95.0}, {0.75, 50.0}, {0.5, 24.0}})};
  connect(MemoryId{0}, MemoryId{1}, platform);
  return platform;
}

Platform processor_and_two_accelerators() {
  Platform platform = processor_and_accelerator();
  platform.name = "processor and two accelerators";
  platform.memories.push_back(platform.memories.front());
  platform.memories.back().name = "hbm1";
  platform.devices.push_back(platform.devices.front());
  platform.devices.back().name = "gpu1";
  platform.devices.back().memory = MemoryId{2};
  connect(MemoryId{2}, MemoryId{1}, platform);
  return platform;
}

Platform two_kinds_of_cores() {
  Platform platform = processor_and_accelerator();
  platform.name = "two kinds of cores";
  platform.memories.erase(platform.memories.begin());
  platform.links.clear();
  for (Device& device : platform.devices) {
    device.memory = MemoryId{0};
    device.workers = 4;
  }
  return platform;
}

}  // namespace stint
