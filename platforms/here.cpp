#include "platforms/here.hpp"

namespace stint {

Platform discover_platform() {
  const Quantity watts(10, Basis::assumed, "default");
  Platform platform;
  platform.name = "here";
  platform.nodes = {{"n0", watts}};
  Memory ram;
  ram.name = "ram";
  ram.bytes = std::int64_t{1} << 30;
  ram.alignment_bytes = 64;
  platform.memories = {ram};
  Device cpu;
  cpu.name = cpu.kind = "cpu";
  cpu.states = {PowerState{}};
  cpu.states.front().name = "as-is";
  cpu.states.front().busy_watts = watts;
  platform.devices = {cpu};
  return platform;
}

}  // namespace stint
