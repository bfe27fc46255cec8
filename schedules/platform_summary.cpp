#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "files/input_error.hpp"
#include "platforms/names.hpp"
#include "schedules/prices.hpp"
#include "schedules/summary.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;

// Nothing where there are none, as for most devices.
std::string extra_watts(double watts) { return watts == 0 ? "" : watts_text(watts); }

std::string nodes(const Platform& platform) {
  TextTable table({{"node", Align::left}, {"base"}});
  for (const Node& node : platform.nodes) table.row({node.name, watts_text(node.base_watts)});
  return table.text();
}

std::string memories(const Platform& platform) {
  TextTable table(
      {{"memory", Align::left}, {"kind", Align::left}, {"capacity"}, {"alignment"}, {"static"}});
  for (int i = 0; i < static_cast<int>(platform.memories.size()); ++i) {
    const Memory& memory = platform.memories[i];
    table.row({memory_name(platform, MemoryId{i}), to_string(memory.kind), bytes_text(memory.bytes),
               bytes_text(memory.alignment_bytes), extra_watts(memory.static_watts)});
  }
  return table.text();
}

std::string devices(const Platform& platform) {
  TextTable table({{"device", Align::left},
                   {"kind", Align::left},
                   {"memory", Align::left},
                   {"workers"},
                   {"idle"},
                   {"active"},
                   {"wait"}});
  for (int i = 0; i < static_cast<int>(platform.devices.size()); ++i) {
    const Device& device = platform.devices[i];
    table.row({device_name(platform, DeviceId{i}), device.kind,
               memory_name(platform, device.memory), std::to_string(device.workers),
               watts_text(device.idle_watts), extra_watts(device.active_watts),
               extra_watts(device.wait_watts)});
  }
  return table.text();
}

std::string states(const Platform& platform) {
  TextTable table({{"power states of", Align::left},
                   {"state", Align::left},
                   {"speed"},
                   {"a busy worker adds"},
                   {"settable", Align::left}});
  for (int i = 0; i < static_cast<int>(platform.devices.size()); ++i) {
    const Device& device = platform.devices[i];
    for (const PowerState& state : device.states) {
      table.row({device_name(platform, DeviceId{i}), state.name,
                 fmt::format("{:.4g}", state.speed.value), watts_text(state.busy_watts),
                 device.settable == Settable::none ? "no" : "per " + to_string(device.settable)});
    }
  }
  return table.text();
}

std::string links(const Platform& platform) {
  TextTable table({{"link", Align::left},
                   {"bandwidth"},
                   {"latency"},
                   {"energy per GB"},
                   {"channel", Align::left},
                   {"blocking", Align::left}});
  for (int i = 0; i < static_cast<int>(platform.links.size()); ++i) {
    const Link& link = platform.links[i];
    table.row({link_name(platform, LinkId{i}), bytes_per_second_text(link.bytes_per_second),
               seconds_text(link.latency_seconds), joules_text(link.joules_per_byte * 1e9),
               link.channel, link.blocking ? "a worker" : ""});
  }
  return table.empty() ? "" : '\n' + table.text();
}

// The first of the names, and how many more there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  const std::size_t count = std::min(names.size(), shown);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + count, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// The bases of the prices, then those that are assumed, by name.
std::string price_lines(const std::vector<Price>& all) {
  std::map<Basis, int> counts;
  std::vector<std::string> assumed;
  for (const Price& price : all) {
    ++counts[price.quantity.basis];
    if (price.quantity.basis == Basis::assumed) assumed.push_back(one_line(price.name));
  }
  std::string text = "prices: " + assumed_text(all);
  for (const auto& [basis, count] : counts) {
    if (basis != Basis::assumed) text += fmt::format(", {} {}", count, to_string(basis));
  }
  return text + '\n' + (assumed.empty() ? "" : "assumed: " + some_of(assumed) + '\n');
}

}  // namespace

std::string summary(const Platform& platform) {
  std::string text = fmt::format("{}: a platform of {}, {}, {}, {}\n", one_line(platform.name),
                                 count_text(std::ssize(platform.nodes), "node"),
                                 count_text(std::ssize(platform.devices), "device"),
                                 count_text(std::ssize(platform.memories), "memory", "memories"),
                                 count_text(std::ssize(platform.links), "link"));
  if (!platform.description.empty()) text += one_line(platform.description) + '\n';
  text += '\n' + nodes(platform) + '\n' + memories(platform) + '\n' + devices(platform);
  return text + '\n' + states(platform) + links(platform) + '\n' + price_lines(prices(platform));
}

}  // namespace stint
