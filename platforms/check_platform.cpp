#include "platforms/check_platform.hpp"

#include <fmt/format.h>

#include <bit>

#include "files/input_error.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

constexpr std::int64_t most_alignment = std::int64_t{1} << 30;

// The JSON pointer of every item.
struct Places {
  std::vector<std::string> nodes;
  std::vector<std::string> memories;
  std::vector<std::string> devices;
  std::vector<std::string> links;
};

template <typename Item>
void check_nodes_ascend(const Platform& platform, const std::vector<Item>& items) {
  int last = 0;
  for (const Item& item : items) {
    if (item.node < last || item.node >= static_cast<int>(platform.nodes.size())) {
      throw InputError("/nodes", fmt::format("{} is in node {}; expected items node by node",
                                             in_quotes(item.name), static_cast<int>(item.node)));
    }
    last = item.node;
  }
}

void check_id(const Platform& platform, MemoryId memory) {
  if (memory >= 0 && memory < static_cast<int>(platform.memories.size())) return;
  throw InputError("/nodes", fmt::format("there is no memory {}; expected one of {} memories",
                                         static_cast<int>(memory), platform.memories.size()));
}

// Ids that lead nowhere, and tables that are not in the order of a file, come from programs only.
void check_tables(const Platform& platform) {
  if (platform.nodes.empty()) throw InputError("/nodes", "no nodes; expected at least one");
  if (platform.devices.empty()) throw InputError("/nodes", "no devices; expected at least one");
  check_nodes_ascend(platform, platform.memories);
  check_nodes_ascend(platform, platform.devices);
  for (const Device& device : platform.devices) check_id(platform, device.memory);
  int last = 0;
  for (const Link& link : platform.links) {
    check_id(platform, link.from);
    check_id(platform, link.to);
    const int place = link.network ? static_cast<int>(platform.nodes.size())
                                   : static_cast<int>(platform.memories[link.from].node);
    if (place < last) {
      throw InputError("/nodes", "links out of order; expected them node by node, network last");
    }
    last = place;
  }
}

Places places(const Platform& platform) {
  Places at;
  for (std::size_t i = 0; i < platform.nodes.size(); ++i) {
    at.nodes.push_back(fmt::format("/nodes/{}", i));
  }
  const auto place = [&](NodeId node, const char* list, std::vector<int>& count) {
    return fmt::format("{}/{}/{}", at.nodes[node], list, count[node]++);
  };
  std::vector<int> memories(platform.nodes.size());
  for (const Memory& memory : platform.memories) {
    at.memories.push_back(place(memory.node, "memories", memories));
  }
  std::vector<int> devices(platform.nodes.size());
  for (const Device& device : platform.devices) {
    at.devices.push_back(place(device.node, "devices", devices));
  }
  std::vector<int> links(platform.nodes.size());
  int network = 0;
  for (const Link& link : platform.links) {
    at.links.push_back(link.network ? fmt::format("/network/{}", network++)
                                    : place(platform.memories[link.from].node, "links", links));
  }
  return at;
}

// Memories and devices of a node share one space of names: `--memory NAME` takes either.
void check_names(const Platform& platform, const Places& at) {
  std::set<std::string> nodes;
  for (std::size_t i = 0; i < platform.nodes.size(); ++i) {
    check_new_name(at.nodes[i], platform.nodes[i].name, "nodes", nodes);
  }
  std::vector<std::set<std::string>> taken(platform.nodes.size());
  const std::string among = "the memories and devices of a node";
  for (std::size_t i = 0; i < platform.memories.size(); ++i) {
    const Memory& memory = platform.memories[i];
    check_new_name(at.memories[i], memory.name, among, taken[memory.node]);
  }
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const Device& device = platform.devices[i];
    check_new_name(at.devices[i], device.name, among, taken[device.node]);
  }
}

void check_memory(const std::string& at, const Memory& memory) {
  check_bytes(at + "/bytes", memory.bytes);
  if (memory.alignment_bytes < 1 || memory.alignment_bytes > most_alignment ||
      !std::has_single_bit(static_cast<std::uint64_t>(memory.alignment_bytes))) {
    throw InputError(at + "/alignment_bytes",
                     fmt::format("{}; expected a power of two from 1 to {}", memory.alignment_bytes,
                                 most_alignment));
  }
  check_quantities(at, {{"static_watts", &memory.static_watts}});
}

void check_device_memory(const std::string& at, const Device& device, const Memory& memory) {
  const std::string name = in_quotes(memory.name);
  if (memory.node != device.node) {
    throw InputError(at + "/memory", name + " is in another node; expected one of this node");
  }
  if (memory.kind == MemoryKind::storage) {
    throw InputError(at + "/memory", name + " is storage; expected a memory to compute in");
  }
}

void check_ends(const std::string& at, const Platform& platform, const Link& link) {
  if (link.from == link.to) {
    throw InputError(at + "/to", "a link from " + in_quotes(memory_name(platform, link.to)) +
                                     " to itself; expected another memory");
  }
  const bool same_node = platform.memories[link.from].node == platform.memories[link.to].node;
  if (link.network && same_node) {
    throw InputError(at, "a link inside a node; expected it among the links of that node");
  }
  if (!link.network && !same_node) {
    throw InputError(at, "a link between nodes; expected it in \"network\"");
  }
}

void check_links(const Platform& platform, const Places& at) {
  std::set<std::pair<int, int>> taken;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const Link& link = platform.links[i];
    check_ends(at.links[i], platform, link);
    if (!taken.emplace(link.from, link.to).second) {
      throw InputError(at.links[i], "a second link " +
                                        link_name(platform, LinkId{static_cast<int>(i)}) +
                                        "; expected at most one in each direction");
    }
    check_number(at.links[i] + "/bytes_per_second", link.bytes_per_second, least_positive);
    check_quantities(at.links[i], {{"latency_seconds", &link.latency_seconds},
                                   {"joules_per_byte", &link.joules_per_byte},
                                   {"active_watts", &link.active_watts}});
  }
}

void check_worker_count(const Platform& platform) {
  auto count = static_cast<std::int64_t>(platform.links.size());
  for (const Device& device : platform.devices) count += device.workers;
  if (count <= most_workers) return;
  throw InputError("/nodes", fmt::format("{} workers, links included; expected at most {}", count,
                                         most_workers));
}

}  // namespace

void check(const Platform& platform) {
  check_tables(platform);
  const Places at = places(platform);
  check_names(platform, at);
  for (std::size_t i = 0; i < platform.nodes.size(); ++i) {
    check_quantities(at.nodes[i], {{"base_watts", &platform.nodes[i].base_watts}});
  }
  for (std::size_t i = 0; i < platform.memories.size(); ++i) {
    check_memory(at.memories[i], platform.memories[i]);
  }
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const Device& device = platform.devices[i];
    check_device_memory(at.devices[i], device, platform.memories[device.memory]);
    check_device(at.devices[i], device);
  }
  check_links(platform, at);
  check_worker_count(platform);
}

}  // namespace stint
