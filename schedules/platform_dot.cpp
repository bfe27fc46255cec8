#include <fmt/format.h>

#include "platforms/names.hpp"
#include "schedules/dot.hpp"
#include "schedules/dot_words.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

std::string memory_node(const Memory& memory, int id) {
  const std::string label = memory.name + '\n' + bytes_text(memory.bytes);
  const char* const colour = memory.kind == MemoryKind::storage ? "#e0e0e0" : "#fdbf6f";
  return fmt::format("    m{} [label={}, shape=cylinder, style=filled, fillcolor=\"{}\"]\n", id,
                     in_dot_quotes(label), colour);
}

std::string device_node(const Device& device, int id) {
  std::string label = device.name + "\n" + count_text(device.workers, "worker");
  for (const PowerState& state : device.states) {
    label += fmt::format("\n{}: {}", state.name, watts_text(state.busy_watts));
  }
  return fmt::format(
      "    d{} [label={}, fillcolor=\"#a6cee3\"]\n"
      "    d{} -> m{} [dir=none, style=bold]\n",
      id, in_dot_quotes(label), id, static_cast<int>(device.memory));
}

std::string node_cluster(const Platform& platform, NodeId node) {
  const Node& it = platform.nodes[node];
  std::string text = fmt::format(
      "  subgraph cluster_{} {{\n    label={}; style=\"rounded\"; color=\"#a0a0a0\"\n",
      static_cast<int>(node), in_dot_quotes(it.name + ", base " + watts_text(it.base_watts)));
  for (int i = 0; i < static_cast<int>(platform.memories.size()); ++i) {
    if (platform.memories[i].node == node) text += memory_node(platform.memories[i], i);
  }
  for (int i = 0; i < static_cast<int>(platform.devices.size()); ++i) {
    if (platform.devices[i].node == node) text += device_node(platform.devices[i], i);
  }
  return text + "  }\n";
}

std::string link_edge(const Link& link) {
  std::string label =
      bytes_per_second_text(link.bytes_per_second) + '\n' + seconds_text(link.latency_seconds);
  if (!link.channel.empty()) label += '\n' + link.channel;
  return fmt::format("  m{} -> m{} [label={}, style={}]\n", static_cast<int>(link.from),
                     static_cast<int>(link.to), in_dot_quotes(label),
                     link.blocking ? "dashed" : "solid");
}

}  // namespace

std::string dot_text(const Platform& platform) {
  std::string text = dot_head(platform.name, "TB");
  for (int i = 0; i < static_cast<int>(platform.nodes.size()); ++i) {
    text += node_cluster(platform, NodeId{i});
  }
  for (const Link& link : platform.links) text += link_edge(link);
  return text + "}\n";
}

}  // namespace stint
