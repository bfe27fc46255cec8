#include "tests/support/random_platform.hpp"

#include <random>
#include <string>

namespace stint {
namespace {

class Builder {
 public:
  Builder(std::uint64_t seed, const RandomPlatformOptions& options)
      : random_(seed), options_(options) {}

  Platform build() {
    platform_.name = "random";
    if (chance(3)) platform_.description = "made \"up\" by a seed";
    const int devices = from(1, options_.max_devices);
    const int in_second_node = devices > 1 && chance(4) ? 1 : 0;
    add_node(devices - in_second_node);
    if (in_second_node > 0) {
      add_node(in_second_node);
      join(first_memory(NodeId{0}), first_memory(NodeId{1}), true);
    }
    return platform_;
  }

 private:
  int from(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool chance(int one_in) { return from(1, one_in) == 1; }

  // A multiple of a quarter, so that sums are exact; sometimes with its basis.
  Quantity quarters(int least, int most) {
    const double value = from(least, most) / 4.0;
    const Basis bases[] = {Basis::measured, Basis::calibrated, Basis::datasheet, Basis::assumed};
    if (!chance(4)) return value;
    return {value, bases[from(0, 3)], chance(2) ? "a seed" : ""};
  }

  MemoryId first_memory(NodeId node) const {
    int i = 0;
    while (platform_.memories[i].node != node) ++i;
    return MemoryId{i};
  }

  void add_node(int devices) {
    const NodeId node{static_cast<int>(platform_.nodes.size())};
    platform_.nodes.push_back({"n" + std::to_string(node), quarters(0, 80)});
    const MemoryId ram = add_memory(node, "ram", MemoryKind::ram);
    if (options_.with_storage && node == 0 && chance(2)) {
      join(ram, add_memory(node, "disk", MemoryKind::storage), false);
    }
    add_device(node, ram, "cpu", "cpu0");
    for (int i = 1; i < devices; ++i) add_further_device(node, ram, i);
  }

  void add_further_device(NodeId node, MemoryId ram, int i) {
    const std::string number = std::to_string(i);
    if (chance(3)) {
      add_device(node, ram, "cpu", "cpu" + number);
    } else if (chance(3)) {
      const MemoryId far = add_memory(node, "ram" + number, MemoryKind::ram);
      join(ram, far, false);
      add_device(node, far, "cpu", "cpu" + number);
    } else {
      const MemoryId own = add_memory(node, "hbm" + number, MemoryKind::device);
      join(ram, own, false);
      add_device(node, own, "gpu", "gpu" + number);
    }
  }

  MemoryId add_memory(NodeId node, const std::string& name, MemoryKind kind) {
    const std::int64_t alignments[] = {1, 1, 8, 64};
    platform_.memories.push_back({.node = node,
                                  .name = name,
                                  .bytes = std::int64_t{1} << from(30, 36),
                                  .alignment_bytes = alignments[from(0, 3)],
                                  .kind = kind,
                                  .static_watts = chance(3) ? quarters(0, 8) : Quantity{}});
    return MemoryId{static_cast<int>(platform_.memories.size()) - 1};
  }

  void join(MemoryId a, MemoryId b, bool network) {
    const bool shared = options_.with_channels && chance(2);
    const std::string channel = shared ? "channel" + std::to_string(from(0, 1)) : "";
    const bool blocking = options_.with_blocking && chance(3);
    add_link(a, b, network, channel, blocking);
    add_link(b, a, network, channel, blocking);
  }

  void add_link(MemoryId from_memory, MemoryId to, bool network, const std::string& channel,
                bool blocking) {
    platform_.links.push_back({.from = from_memory,
                               .to = to,
                               .network = network,
                               .bytes_per_second = quarters(40, 800),
                               .latency_seconds = quarters(0, 2),
                               .joules_per_byte = quarters(0, 4),
                               .active_watts = chance(3) ? quarters(0, 8) : Quantity{},
                               .channel = channel,
                               .blocking = blocking});
  }

  void add_device(NodeId node, MemoryId memory, const std::string& kind, const std::string& name) {
    Device device;
    device.node = node;
    device.name = name;
    device.kind = kind;
    device.memory = memory;
    device.workers = from(1, options_.max_workers);
    device.idle_watts = quarters(0, 40);
    if (chance(2)) device.active_watts = quarters(0, 20);
    if (chance(2)) device.wait_watts = quarters(0, 8);
    add_states(device);
    if (chance(3)) device.caches = {{1, 32768, 1}, {2, 1048576, 2}};
    if (chance(3)) device.time_model = {{"op\"/~", time_model()}};
    if (chance(3)) device.kernels = {kernel()};
    if (options_.with_fetching && chance(2)) add_small_caches(device);
    platform_.devices.push_back(device);
  }

  void add_small_caches(Device& device) {
    device.caches = {{1, from(4, 16), 1, quarters(0, 4)}, {2, from(16, 48), 2, quarters(0, 4)}};
    device.time_model["cache"].terms = {{"level1", quarters(0, 2)}, {"level2", quarters(0, 2)}};
  }

  void add_states(Device& device) {
    device.states = {state(0)};
    if (!options_.with_states) return;
    device.settable = static_cast<Settable>(from(0, 2));
    device.state_scope = static_cast<StateScope>(from(0, 1));
    const int count = from(1, 3);
    for (int i = 1; i < count; ++i) device.states.push_back(state(i));
  }

  PowerState state(int i) {
    PowerState state;
    state.name = "s" + std::to_string(i);
    state.speed = i == 0 ? Quantity(1.0) : quarters(1, 6);
    state.busy_watts = quarters(0, 60);
    if (chance(3)) state.busy_watts_by_class = {{"conv", quarters(0, 60)}, {"gemm", 3.5}};
    if (options_.with_states && chance(2)) {
      state.switch_seconds = quarters(0, 2);
      state.switch_joules = quarters(0, 4);
    }
    return state;
  }

  TimeModel time_model() {
    TimeModel model;
    model.terms = {{"constant", quarters(0, 4)}, {"flops", 1e-9}, {"tiles", quarters(0, 4)}};
    if (chance(2)) model.knots = {{"bytes", {{9, quarters(0, 4)}, {32768, 1e-10}}}};
    if (chance(2)) model.sigma = quarters(0, 4);
    return model;
  }

  Kernel kernel() {
    return {.op = "conv2d.forward",
            .shape = chance(2) ? "1x3x224x224" : "",
            .type = "f32",
            .layout = chance(2) ? "nhwc" : "",
            .algorithm = chance(2) ? "direct" : "",
            .workspace_bytes = from(0, 2) * 4096,
            .seconds = quarters(1, 8)};
  }

  std::mt19937_64 random_;
  const RandomPlatformOptions& options_;
  Platform platform_;
};

}  // namespace

Platform random_platform(std::uint64_t seed, const RandomPlatformOptions& options) {
  return Builder(seed, options).build();
}

}  // namespace stint
