// The machines that come with Stint.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "platforms/platform.hpp"

using namespace stint;

namespace {

const std::string folder = std::string(STINT_SOURCE_DIR) + "/platforms/";

std::vector<std::string> bundled() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto& path = entry.path();
    if (path.extension() == ".json" && path.stem().extension() != ".schema") {
      names.push_back(path.stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Platform machine(const std::string& name) { return read_platform(folder + name + ".json"); }

// The watts of all of a device's workers busy in a state, and of the device at rest.
double busy_device_watts(const Device& device, const PowerState& state) {
  return device.idle_watts + device.active_watts + device.workers * state.busy_watts;
}

// The state in which a fixed amount of work takes the least energy, with so much billed besides.
std::string best_state(const Device& device, double besides_watts) {
  const auto joules_per_work = [&](const PowerState& state) {
    return (busy_device_watts(device, state) + besides_watts) / state.speed;
  };
  return std::min_element(device.states.begin(), device.states.end(),
                          [&](const PowerState& a, const PowerState& b) {
                            return joules_per_work(a) < joules_per_work(b);
                          })
      ->name;
}

void add(std::vector<Quantity>& all, std::initializer_list<Quantity> some) {
  all.insert(all.end(), some);
}

std::vector<Quantity> prices(const Platform& platform) {
  std::vector<Quantity> all;
  for (const Node& node : platform.nodes) add(all, {node.base_watts});
  for (const Memory& memory : platform.memories) add(all, {memory.static_watts});
  for (const Device& device : platform.devices) {
    add(all, {device.idle_watts, device.active_watts, device.wait_watts});
    for (const PowerState& state : device.states) {
      add(all, {state.speed, state.busy_watts, state.switch_seconds, state.switch_joules});
    }
    for (const auto& [op, model] : device.time_model) {
      for (const auto& [feature, price] : model.terms) add(all, {price});
    }
  }
  for (const Link& link : platform.links) {
    add(all,
        {link.bytes_per_second, link.latency_seconds, link.joules_per_byte, link.active_watts});
  }
  return all;
}

}  // namespace

TEST_CASE("the promised machines are there", "[bundled]") {
  const auto names = bundled();
  for (const char* name : {"course", "desk", "dgx-a100", "g5k-taurus", "hgx-h100", "jetson-tx2",
                           "laptop-14", "rpi4", "xeon-v100-pcie"}) {
    CAPTURE(name);
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}

TEST_CASE("a bundled machine is sound, bears its file's name and is written as we write",
          "[bundled]") {
  const std::string name = GENERATE(from_range(bundled()));
  CAPTURE(name);
  const Platform platform = machine(name);
  CHECK(platform.name == name);
  CHECK_FALSE(platform.description.empty());
  CHECK(read_text(folder + name + ".json") == platform_text(platform) + '\n');
}

TEST_CASE("a bundled machine says where every number comes from", "[bundled]") {
  const std::string name = GENERATE(from_range(bundled()));
  if (name == "course" || name == "desk") return;  // made up to learn with
  CAPTURE(name);
  for (const Quantity& price : prices(machine(name))) {
    // Exact without a source: nothing, and the speed that the others refer to.
    if (price == Quantity(0.0) || price == Quantity(1.0)) continue;
    CAPTURE(price.value);
    CHECK(price.basis != Basis::stated);
    CHECK_FALSE(price.source.empty());
  }
}

TEST_CASE("every device of a bundled machine can price a task by its flops", "[bundled]") {
  const std::string name = GENERATE(from_range(bundled()));
  CAPTURE(name);
  for (const Device& device : machine(name).devices) {
    CHECK(device.time_model.at("*").terms.at("flops") > 0);
    CHECK((device.kind == "cpu" || device.kind == "cuda"));
  }
}

TEST_CASE("every memory of a bundled machine is linked with the host's both ways", "[bundled]") {
  const std::string name = GENERATE(from_range(bundled()));
  CAPTURE(name);
  const Platform platform = machine(name);
  for (int i = 1; i < static_cast<int>(platform.memories.size()); ++i) {
    const auto joins = [&](int from, int to) {
      return std::any_of(platform.links.begin(), platform.links.end(),
                         [&](const Link& link) { return link.from == from && link.to == to; });
    };
    CAPTURE(platform.memories[i].name);
    CHECK(joins(0, i));
    CHECK(joins(i, 0));
  }
}

TEST_CASE("thirteen seconds of one worker of course cost 455 joules", "[bundled]") {
  const Platform course = machine("course");
  const Device& cpu = course.devices.at(0);
  CHECK(13 * (course.nodes[0].base_watts + busy_device_watts(cpu, cpu.states[0])) == 455);
}

TEST_CASE("taurus races to the end or slows down as its published energies say", "[bundled]") {
  const Platform taurus = machine("g5k-taurus");
  const Device& cpu = taurus.devices.at(0);
  const PowerState& fastest = cpu.states.front();
  const PowerState& slowest = cpu.states.back();
  const double deadline_seconds = 28.2 / slowest.speed;
  const double fast_joules = 28.2 * busy_device_watts(cpu, fastest);
  CHECK(fast_joules == Approx(5379).margin(0.5));
  CHECK(deadline_seconds * busy_device_watts(cpu, slowest) == Approx(7893).margin(1.5));
  CHECK(fast_joules + (deadline_seconds - 28.2) * cpu.idle_watts == Approx(8656).margin(1.5));
  CHECK(best_state(cpu, 0) == "2301MHz");                // billed until the work ends
  CHECK(best_state(cpu, -cpu.idle_watts) == "1200MHz");  // billed until a deadline
}

TEST_CASE("the best power limit of a V100 rises with what is billed besides it", "[bundled]") {
  const Device gpu = machine("xeon-v100-pcie").devices.at(1);
  CHECK(best_state(gpu, 0) == "150W");
  CHECK(best_state(gpu, 200) == "175W");
  CHECK(best_state(gpu, 300) == "200W");
  CHECK(best_state(gpu, 500) == "225W");
  CHECK(best_state(gpu, 1000) == "250W");
}

TEST_CASE("the rail of a Jetson TX2 reads as measured with one and with four busy cores",
          "[bundled]") {
  const Platform tx2 = machine("jetson-tx2");
  const Device& cpu = tx2.devices.at(0);
  CHECK(busy_device_watts(cpu, cpu.states[0]) == Approx(2.753));
  CHECK(cpu.idle_watts + cpu.active_watts + cpu.states[0].busy_watts == Approx(0.995));
}
