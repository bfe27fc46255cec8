#include "platforms/check_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "files/input_error.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

// Physical numbers beyond these would only overflow sums and products later on.
constexpr double least_positive = 1e-30;
constexpr double most = 1e30;
constexpr std::int64_t most_alignment = std::int64_t{1} << 30;

constexpr std::array<std::string_view, 6> op_classes = {"gemm",      "conv", "elementwise",
                                                        "reduction", "copy", "io"};

using Named = std::pair<const char*, const Quantity*>;

class Checker {
 public:
  Checker(const Platform& platform, const std::string& prefix)
      : platform_(platform), prefix_(prefix) {}

  void check_all() {
    check_tables();
    place_all();
    check_names();
    for (std::size_t i = 0; i < platform_.nodes.size(); ++i) {
      check_quantities(node_at_[i], {{"base_watts", &platform_.nodes[i].base_watts}});
    }
    for (std::size_t i = 0; i < platform_.memories.size(); ++i) check_memory(i);
    for (std::size_t i = 0; i < platform_.devices.size(); ++i) check_device(i);
    check_links();
    check_worker_count();
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& fault) const {
    throw InputError(prefix_ + path, fault);
  }

  // Ids that lead nowhere, and tables that are not in the order of a file, come from programs.
  void check_tables() const {
    if (platform_.nodes.empty()) fail("/nodes", "no nodes; expected at least one");
    if (platform_.devices.empty()) fail("/nodes", "no devices; expected at least one");
    check_nodes_ascend(platform_.memories);
    check_nodes_ascend(platform_.devices);
    for (const Device& device : platform_.devices) check_id(device.memory);
    int last = 0;
    for (const Link& link : platform_.links) {
      check_id(link.from);
      check_id(link.to);
      const int place = link.network ? static_cast<int>(platform_.nodes.size())
                                     : static_cast<int>(platform_.memories[link.from].node);
      if (place < last) fail("/nodes", "links out of order; expected them node by node");
      last = place;
    }
  }

  template <typename Item>
  void check_nodes_ascend(const std::vector<Item>& items) const {
    int last = 0;
    for (const Item& item : items) {
      if (item.node < last || item.node >= static_cast<int>(platform_.nodes.size())) {
        fail("/nodes", fmt::format("{} is in node {}; expected items node by node",
                                   in_quotes(item.name), static_cast<int>(item.node)));
      }
      last = item.node;
    }
  }

  void check_id(MemoryId memory) const {
    if (memory >= 0 && memory < static_cast<int>(platform_.memories.size())) return;
    fail("/nodes", fmt::format("there is no memory {}; expected one of {}",
                               static_cast<int>(memory), platform_.memories.size()));
  }

  // The JSON pointer of every item: its node, its list, its place in that list.
  void place_all() {
    for (std::size_t i = 0; i < platform_.nodes.size(); ++i) {
      node_at_.push_back(fmt::format("/nodes/{}", i));
    }
    std::vector<int> memories(platform_.nodes.size());
    std::vector<int> devices(platform_.nodes.size());
    std::vector<int> links(platform_.nodes.size());
    int network = 0;
    for (const Memory& memory : platform_.memories) {
      memory_at_.push_back(place(memory.node, "memories", memories));
    }
    for (const Device& device : platform_.devices) {
      device_at_.push_back(place(device.node, "devices", devices));
    }
    for (const Link& link : platform_.links) {
      link_at_.push_back(link.network ? fmt::format("/network/{}", network++)
                                      : place(node_of(link.from), "links", links));
    }
  }

  std::string place(NodeId node, const char* list, std::vector<int>& count) const {
    return fmt::format("{}/{}/{}", node_at_[node], list, count[node]++);
  }

  NodeId node_of(MemoryId memory) const { return platform_.memories[memory].node; }

  void check_name(const std::string& path, const std::string& name) const {
    const auto is_bad = [](char c) {
      const auto code = static_cast<unsigned char>(c);
      return code <= 0x20 || code == 0x7f || c == '/' || c == '>' || c == '=';
    };
    if (!name.empty() && std::none_of(name.begin(), name.end(), is_bad)) return;
    fail(path, fmt::format("the name {}; expected a text without '/', '>', '=', white space "
                           "and control characters",
                           in_quotes(name)));
  }

  void check_new_name(const std::string& item, const std::string& name, const std::string& among,
                      std::set<std::string>& taken) const {
    check_name(item + "/name", name);
    if (taken.insert(name).second) return;
    fail(item + "/name", fmt::format("the name {} is taken; expected names unique among {}",
                                     in_quotes(name), among));
  }

  // Memories and devices of a node share their names' space: `--memory NAME` takes either.
  void check_names() const {
    std::set<std::string> nodes;
    for (std::size_t i = 0; i < platform_.nodes.size(); ++i) {
      check_new_name(node_at_[i], platform_.nodes[i].name, "nodes", nodes);
    }
    std::vector<std::set<std::string>> taken(platform_.nodes.size());
    const std::string among = "the memories and devices of a node";
    for (std::size_t i = 0; i < platform_.memories.size(); ++i) {
      const Memory& memory = platform_.memories[i];
      check_new_name(memory_at_[i], memory.name, among, taken[memory.node]);
    }
    for (std::size_t i = 0; i < platform_.devices.size(); ++i) {
      const Device& device = platform_.devices[i];
      check_new_name(device_at_[i], device.name, among, taken[device.node]);
    }
  }

  void check_number(const std::string& path, double value, double least) const {
    if (value >= least && value <= most) return;  // false for NaN
    fail(path, fmt::format("{}; expected a number from {} to {}", value, least, most));
  }

  void check_quantities(const std::string& item, std::initializer_list<Named> named) const {
    for (const auto& [key, quantity] : named) check_number(item + '/' + key, *quantity, 0);
  }

  // Quantities under keys that the file's author chose.
  void check_keyed(const std::string& item,
                   const std::map<std::string, Quantity>& quantities) const {
    for (const auto& [key, quantity] : quantities) {
      if (key.empty()) fail(item, "an empty key; expected a name");
      check_number(item + '/' + key, quantity, 0);
    }
  }

  void check_bytes(const std::string& path, std::int64_t bytes) const {
    if (bytes < 0) fail(path, fmt::format("{}; expected a whole number of at least 0", bytes));
  }

  void check_memory(std::size_t i) const {
    const Memory& memory = platform_.memories[i];
    const std::string& at = memory_at_[i];
    check_bytes(at + "/bytes", memory.bytes);
    if (memory.alignment_bytes < 1 || memory.alignment_bytes > most_alignment ||
        !std::has_single_bit(static_cast<std::uint64_t>(memory.alignment_bytes))) {
      fail(at + "/alignment_bytes", fmt::format("{}; expected a power of two from 1 to {}",
                                                memory.alignment_bytes, most_alignment));
    }
    check_quantities(at, {{"static_watts", &memory.static_watts}});
  }

  void check_device(std::size_t i) const {
    const Device& device = platform_.devices[i];
    const std::string& at = device_at_[i];
    check_name(at + "/kind", device.kind);
    check_device_memory(at, device);
    if (device.workers < 1 || device.workers > most_workers_of_a_device) {
      fail(at + "/workers", fmt::format("{}; expected a whole number from 1 to {}", device.workers,
                                        most_workers_of_a_device));
    }
    check_quantities(at, {{"idle_watts", &device.idle_watts},
                          {"active_watts", &device.active_watts},
                          {"wait_watts", &device.wait_watts}});
    check_states(at, device);
    for (std::size_t c = 0; c < device.caches.size(); ++c) {
      check_cache(fmt::format("{}/caches/{}", at, c), device.caches[c]);
    }
    check_time_model(at, device);
    for (std::size_t k = 0; k < device.kernels.size(); ++k) {
      check_kernel(fmt::format("{}/kernels/{}", at, k), device.kernels[k]);
    }
  }

  void check_device_memory(const std::string& at, const Device& device) const {
    const Memory& memory = platform_.memories[device.memory];
    if (memory.node != device.node) {
      fail(at + "/memory",
           fmt::format("the memory {} is in another node; expected one of this node",
                       in_quotes(memory.name)));
    }
    if (memory.kind == MemoryKind::storage) {
      fail(at + "/memory", fmt::format("the memory {} is storage; expected one to compute in",
                                       in_quotes(memory.name)));
    }
  }

  void check_states(const std::string& at, const Device& device) const {
    if (device.states.empty()) fail(at + "/states", "no states; expected at least one");
    std::set<std::string> names;
    for (std::size_t s = 0; s < device.states.size(); ++s) {
      const PowerState& state = device.states[s];
      const std::string state_at = fmt::format("{}/states/{}", at, s);
      check_new_name(state_at, state.name, "the states of a device", names);
      check_number(state_at + "/speed", state.speed, least_positive);
      check_quantities(state_at, {{"busy_watts", &state.busy_watts},
                                  {"switch_seconds", &state.switch_seconds},
                                  {"switch_joules", &state.switch_joules}});
      check_classes(state_at + "/busy_watts_by_class", state.busy_watts_by_class);
    }
  }

  void check_classes(const std::string& at, const std::map<std::string, Quantity>& watts) const {
    for (const auto& [op_class, quantity] : watts) {
      if (std::find(op_classes.begin(), op_classes.end(), op_class) == op_classes.end()) {
        fail(at, fmt::format("unknown class {}; expected one of {}", in_quotes(op_class),
                             fmt::join(op_classes, ", ")));
      }
    }
    check_keyed(at, watts);
  }

  void check_cache(const std::string& at, const Cache& cache) const {
    if (cache.level < 1 || cache.shared_by < 1) {
      fail(at, "a level or a number of workers below 1; expected at least 1");
    }
    check_bytes(at + "/bytes", cache.bytes);
  }

  void check_time_model(const std::string& device, const Device& it) const {
    for (const auto& [op, model] : it.time_model) {
      if (op.empty()) fail(device + "/time_model", "an empty key; expected an op or \"*\"");
      const std::string at = device + "/time_model/" + op;
      check_keyed(at + "/terms", model.terms);
      for (const auto& [feature, slopes] : model.knots) {
        if (feature.empty()) fail(at + "/knots", "an empty key; expected a name");
        for (const auto& [knot, slope] : slopes) {
          const std::string path = fmt::format("{}/knots/{}/{}", at, feature, knot);
          check_bytes(path, knot);
          check_number(path, slope, 0);
        }
      }
      if (model.sigma) check_number(at + "/sigma", *model.sigma, 0);
    }
  }

  void check_kernel(const std::string& at, const Kernel& kernel) const {
    if (kernel.op.empty()) fail(at + "/op", "an empty text; expected an op");
    check_bytes(at + "/workspace_bytes", kernel.workspace_bytes);
    check_quantities(at, {{"seconds", &kernel.seconds}});
  }

  void check_links() const {
    std::set<std::pair<int, int>> taken;
    for (std::size_t i = 0; i < platform_.links.size(); ++i) {
      const Link& link = platform_.links[i];
      check_ends(link_at_[i], link);
      if (!taken.emplace(link.from, link.to).second) {
        fail(link_at_[i], fmt::format("a second link {}; expected one in each direction",
                                      link_name(platform_, LinkId{static_cast<int>(i)})));
      }
      check_number(link_at_[i] + "/bytes_per_second", link.bytes_per_second, least_positive);
      check_quantities(link_at_[i], {{"latency_seconds", &link.latency_seconds},
                                     {"joules_per_byte", &link.joules_per_byte},
                                     {"active_watts", &link.active_watts}});
    }
  }

  void check_ends(const std::string& at, const Link& link) const {
    if (link.from == link.to) {
      fail(at + "/to", fmt::format("a link from {} to itself; expected another memory",
                                   memory_name(platform_, link.to)));
    }
    const bool same_node = node_of(link.from) == node_of(link.to);
    if (link.network && same_node) {
      fail(at, "a link inside a node; expected it among the links of that node");
    }
    if (!link.network && !same_node) {
      fail(at, "a link between nodes; expected it in \"network\"");
    }
  }

  void check_worker_count() const {
    auto count = static_cast<std::int64_t>(platform_.links.size());
    for (const Device& device : platform_.devices) count += device.workers;
    if (count <= most_workers) return;
    fail("/nodes",
         fmt::format("{} workers, links included; expected at most {}", count, most_workers));
  }

  const Platform& platform_;
  const std::string& prefix_;
  std::vector<std::string> node_at_;
  std::vector<std::string> memory_at_;
  std::vector<std::string> device_at_;
  std::vector<std::string> link_at_;
};

}  // namespace

void check(const Platform& platform, const std::string& prefix) {
  Checker(platform, prefix).check_all();
}

void check(const Platform& platform) { check(platform, ""); }

}  // namespace stint
