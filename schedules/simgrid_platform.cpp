// SimGrid's platform.xml. Nodes and memories are hosts too, that never compute: they draw their
// base and static watts. So do links with active watts, which are drawn during latency as well.
#include <fmt/format.h>

#include "schedules/simgrid.hpp"
#include "schedules/simgrid_hosts.hpp"

namespace stint {
namespace {

// SimGrid's network without its corrections for TCP: a transfer has the link's whole bandwidth.
constexpr const char* simgrid_header = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="network/model" value="CM02"/>
    <prop id="network/TCP-gamma" value="0"/>
    <prop id="network/crosstraffic" value="0"/>
  </config>
  <zone id="/" routing="None">
)";

std::string in_xml(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

class PlatformWriter {
 public:
  explicit PlatformWriter(const Platform& platform) : platform_(platform) {}

  std::string write() {
    add_machines();
    add_memories();
    text_ += "  </zone>\n</platform>\n";
    return std::move(text_);
  }

 private:
  // What sends nothing needs no routes, and a table of routes is quadratic.
  void add_machines() {
    text_ += "    <zone id=\"/machines\" routing=\"None\">\n";
    for (const Node& node : platform_.nodes) add_steady_host(node.name, node.base_watts);
    for (int d = 0; d < static_cast<int>(platform_.devices.size()); ++d) {
      add_device(DeviceId{d});
      add_caches(DeviceId{d});
    }
    for (int l = 0; l < static_cast<int>(platform_.links.size()); ++l) {
      const double watts = platform_.links[l].active_watts;
      if (watts > 0) add_host(link_name(platform_, LinkId{l}), 1, "1f", power(0, watts, watts));
    }
    text_ += "    </zone>\n";
  }

  void add_memories() {
    text_ += "    <zone id=\"/memories\" routing=\"Full\">\n";
    for (int m = 0; m < static_cast<int>(platform_.memories.size()); ++m) {
      add_steady_host(memory_name(platform_, MemoryId{m}), platform_.memories[m].static_watts);
    }
    for (int l = 0; l < static_cast<int>(platform_.links.size()); ++l) add_link(LinkId{l});
    for (int l = 0; l < static_cast<int>(platform_.links.size()); ++l) add_route(LinkId{l});
    text_ += "    </zone>\n";
  }

  static std::string power(double idle, double epsilon, double all_cores) {
    return fmt::format("{}:{}:{}", idle, epsilon, all_cores);
  }

  void add_host(const std::string& name, int cores, const std::string& speeds,
                const std::string& watts) {
    text_ += fmt::format(
        "      <host id=\"{}\" core=\"{}\" speed=\"{}\"><prop id=\"wattage_per_state\" "
        "value=\"{}\"/></host>\n",
        in_xml(name), cores, speeds, watts);
  }

  void add_steady_host(const std::string& name, double watts) {
    add_host(name, 1, "1f", power(watts, watts, watts));
  }

  void add_device(DeviceId id) {
    const Device& device = platform_.devices[id];
    const std::string name = device_name(platform_, id);
    const double idle = device.idle_watts, epsilon = idle + device.active_watts;
    if (!has_host_per_worker(platform_, device)) {
      return add_computing_host(name, device, device.workers, idle, epsilon);
    }
    add_host(name, device.workers, "1f", power(idle, epsilon, epsilon));
    for (int w = 0; w < device.workers; ++w) {
      add_computing_host(fmt::format("{}/{}", name, w), device, 1, 0, 0);
    }
  }

  void add_caches(DeviceId id) {
    const Device& device = platform_.devices[id];
    for (std::size_t i = 0; i < device.caches.size(); ++i) {
      const double watts = device.caches[i].joules_per_byte * most_fetched_per_second;
      if (watts > 0)
        add_host(cache_host(device_name(platform_, id), i), device.workers,
                 fmt::format("{}f", most_fetched_per_second), power(0, 0, device.workers * watts));
    }
  }

  void add_computing_host(const std::string& name, const Device& device, int cores, double idle,
                          double epsilon) {
    std::string speeds, watts;
    for (const HostState& one : host_states(device)) {
      const char* const comma = speeds.empty() ? "" : ",";
      speeds += fmt::format("{}{}f", comma, device.states[one.state].speed * flops_at_speed_1);
      watts += comma + power(idle, epsilon, epsilon + cores * one.busy_watts);
    }
    add_host(name, cores, speeds, watts);
  }

  // Latency is not the link's: SimGrid would charge it as if bytes were flowing. The script has it.
  void add_link(LinkId id) {
    const Link& link = platform_.links[id];
    text_ += fmt::format(
        "      <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"0s\"><prop id=\"wattage_range\" "
        "value=\"0:{}\"/></link>\n",
        in_xml(link_name(platform_, id)), link.bytes_per_second.value,
        link.joules_per_byte * link.bytes_per_second);
  }

  void add_route(LinkId id) {
    const Link& link = platform_.links[id];
    text_ += fmt::format(
        "      <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"{}\"/></route>\n",
        in_xml(memory_name(platform_, link.from)), in_xml(memory_name(platform_, link.to)),
        in_xml(link_name(platform_, id)));
  }

  const Platform& platform_;
  std::string text_ = simgrid_header;
};

}  // namespace

std::string simgrid_platform(const Platform& platform) { return PlatformWriter(platform).write(); }

}  // namespace stint
