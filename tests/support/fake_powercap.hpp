// A powercap tree in a temporary folder, whose counters count what a test says: in microjoules, and
// beginning anew as the kernel's do.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

#include "tests/support/run_program.hpp"

namespace stint {

class FakePowercap {
 public:
  // `id` as in sysfs: "intel-rapl:0", below it "intel-rapl:0:1".
  void add_zone(const std::string& id, const std::string& name,
                std::uint64_t range_microjoules = 262'143'328'850, std::uint64_t begin = 1'000'000);

  // The counter goes on by so much, and turns over where it must.
  void consume(const std::string& id, double joules);
  // The counter shows this, whatever it showed before.
  void set(const std::string& id, const std::string& text);
  void remove_counter(const std::string& id);

  std::string root() const { return folder_.path(""); }
  std::string counter_path(const std::string& id) const;

 private:
  struct FakeZone {
    std::uint64_t range = 0;
    std::uint64_t begin = 0;
    double joules = 0;  // consumed so far
  };
  TemporaryFolder folder_;
  std::map<std::string, FakeZone> zones_;
};

// While it lives, zones of a tree draw constant watts, for programs that read it as they run.
class DrawingPower {
 public:
  DrawingPower(FakePowercap& tree, std::map<std::string, double> watts);  // by zone
  ~DrawingPower();
  DrawingPower(const DrawingPower&) = delete;
  DrawingPower& operator=(const DrawingPower&) = delete;

 private:
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace stint
