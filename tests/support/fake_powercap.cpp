#include "tests/support/fake_powercap.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace stint {
namespace {

// Whole, as the kernel shows it: a reader never meets a half-written number.
void write_whole(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new") << text << '\n';
  std::filesystem::rename(path + ".new", path);
}

}  // namespace

void FakePowercap::add_zone(const std::string& id, const std::string& name,
                            std::uint64_t range_microjoules, std::uint64_t begin) {
  std::filesystem::create_directories(folder_.path(id));
  write_whole(folder_.path(id + "/name"), name);
  write_whole(folder_.path(id + "/max_energy_range_uj"), std::to_string(range_microjoules));
  zones_[id] = {range_microjoules, begin};
  consume(id, 0);
}

void FakePowercap::consume(const std::string& id, double joules) {
  FakeZone& zone = zones_.at(id);
  zone.joules += joules;
  const auto microjoules = static_cast<std::uint64_t>(std::llround(zone.joules * 1e6));
  set(id, std::to_string((zone.begin + microjoules) % (zone.range + 1)));
}

void FakePowercap::set(const std::string& id, const std::string& text) {
  write_whole(counter_path(id), text);
}

void FakePowercap::remove_counter(const std::string& id) {
  std::filesystem::remove(counter_path(id));
}

std::string FakePowercap::counter_path(const std::string& id) const {
  return folder_.path(id + "/energy_uj");
}

DrawingPower::DrawingPower(FakePowercap& tree, std::map<std::string, double> watts)
    : thread_([this, &tree, watts = std::move(watts)] {
        using Clock = std::chrono::steady_clock;
        for (auto last = Clock::now(); !stopped_;) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          const auto now = Clock::now();
          const double seconds = std::chrono::duration<double>(now - last).count();
          for (const auto& [zone, power] : watts) tree.consume(zone, power * seconds);
          last = now;
        }
      }) {}

DrawingPower::~DrawingPower() {
  stopped_ = true;
  thread_.join();
}

}  // namespace stint
