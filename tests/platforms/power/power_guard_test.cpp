// Power states on trees and GPUs of the test's own: set, read back, put back.
#include "platforms/power/power_guard.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "files/input_error.hpp"
#include "tests/support/fake_cpufreq.hpp"
#include "tests/support/fake_gpus.hpp"
#include "tests/support/fake_powercap.hpp"

using namespace stint;
using Catch::Contains;

namespace {

const MachinePart all_processors{};
const MachinePart first_gpu{true, 0};
const std::string as_found = "900000-3000000";

// A machine of two processors and a GPU.
struct FakeMachine {
  FakeCpufreq cpufreq;
  FakePowercap powercap;
  FakeGpus gpus;
  TemporaryFolder folder;
  std::string file = folder.path("state/stint/power");

  FakeMachine() {
    powercap.add_zone("intel-rapl:0", "package-0");
    powercap.add_zone("intel-rapl:1", "package-1");
    for (const char* zone : {"intel-rapl:0", "intel-rapl:1"}) {
      std::ofstream(limit_path(zone)) << "150000000";
    }
    gpus.set("gpus", 1);
    gpus.set("limit-0", 300'000);
    gpus.set("clock-0", 1410);
    gpus.set("locked-clock-0", 0);
    gpus.set("throttle-0", 1);
  }
  std::string limit_path(const std::string& zone) const {
    return powercap.root() + "/" + zone + "/constraint_0_power_limit_uw";
  }
  std::string limit(const std::string& zone) const {
    return SystemFiles::real().read(limit_path(zone));
  }
  PowerPlaces places() const { return {cpufreq.root(), powercap.root(), FakeGpus::library()}; }
};

// Takes every frequency for the greatest that it knows.
struct StubbornFiles : SystemFiles {
  void write(const std::string& path, const std::string& text) const override {
    SystemFiles::write(path, path.ends_with("max_freq") ? "3000000" : text);
  }
};

}  // namespace

TEST_CASE("a frequency is set for all processors, and put back", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  {
    const PowerGuard guard({{all_processors, "2.3GHz"}}, control, machine.file);
    guard.set(0);
    CHECK(machine.cpufreq.range(0) == "2300000-2300000");
    CHECK(machine.cpufreq.range(1) == "2300000-2300000");
    CHECK(std::filesystem::exists(machine.file));
  }
  CHECK(machine.cpufreq.range(0) == as_found);
  CHECK(machine.cpufreq.range(1) == as_found);
  CHECK_FALSE(std::filesystem::exists(machine.file));
}

TEST_CASE("a frequency is set for one processor alone", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  const PowerGuard guard({{{false, 1}, "1200MHz"}, {{false, 1}, ""}}, control, machine.file);
  guard.set(0);
  CHECK(machine.cpufreq.range(0) == as_found);
  CHECK(machine.cpufreq.range(1) == "1200000-1200000");
  guard.set(1);
  CHECK(machine.cpufreq.range(1) == as_found);
}

TEST_CASE("under the userspace governor the speed itself is set", "[power]") {
  const FakeCpufreq cpufreq(1, "userspace");
  const TemporaryFolder folder;
  const PowerControl control(PowerPlaces{.cpufreq = cpufreq.root()});
  {
    const PowerGuard guard({{all_processors, "1.6GHz"}}, control, folder.path("power"));
    CHECK(cpufreq.get("policy0/scaling_setspeed") == "1600000");
    CHECK(cpufreq.range(0) == as_found);
  }
  CHECK(cpufreq.get("policy0/scaling_setspeed") == "2000000");
}

TEST_CASE("a limit of processors is shared by their packages", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  {
    const PowerGuard guard({{all_processors, "180W"}}, control, machine.file);
    CHECK(machine.limit("intel-rapl:0") == "90000000");
    CHECK(machine.limit("intel-rapl:1") == "90000000");
  }
  CHECK(machine.limit("intel-rapl:0") == "150000000");
}

TEST_CASE("limits and clocks of a GPU are set, and put back", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  {
    const PowerGuard guard({{first_gpu, "250W"}, {first_gpu, "1005MHz"}}, control, machine.file);
    CHECK(machine.gpus.get("limit-0") == "250000");
    CHECK(machine.gpus.get("locked-clock-0") == "1005");
    CHECK(guard.complaints(0).empty());
    machine.gpus.set("throttle-0", 0x40);
    CHECK_THAT(guard.complaints(0).at(0), Contains("slowed down"));
    machine.gpus.set("limit-0", 200'000);
    CHECK_THAT(guard.complaints(0).at(0), Contains("was set to 250000 and reads 200000"));
  }
  CHECK(machine.gpus.get("limit-0") == "300000");
  CHECK(machine.gpus.get("locked-clock-0") == "0");
}

TEST_CASE("a state that does not read back as set is a fault, and all is put back", "[power]") {
  const FakeMachine machine;
  const StubbornFiles files;
  const PowerControl control(machine.places(), files);
  CHECK_THROWS_WITH(PowerGuard({{all_processors, "1.2GHz"}}, control, machine.file),
                    Contains("scaling_max_freq was set to 1200000 and reads 3000000"));
  CHECK(machine.cpufreq.range(0) == as_found);
  CHECK_FALSE(std::filesystem::exists(machine.file));
}

TEST_CASE("what is not permitted is told, with what to type, and nothing is left behind",
          "[power]") {
  const FakeMachine machine;
  const RefusingFiles files;
  const PowerControl control(machine.places(), files);
  try {
    const PowerGuard guard({{all_processors, "1.2GHz"}}, control, machine.file);
    FAIL("set without permission");
  } catch (const PowerFault& fault) {
    CHECK_THAT(fault.what(), Contains("Permission denied"));
    CHECK_THAT(fault.to_type, Catch::StartsWith("sudo chmod a+w "));
  }
  machine.gpus.set("refuse", 1);
  try {
    const PowerGuard guard({{first_gpu, "250W"}}, control, machine.folder.path("other"));
    FAIL("set without permission");
  } catch (const PowerFault& fault) {
    CHECK_THAT(fault.what(), Contains("Insufficient Permissions"));
    CHECK_THAT(fault.to_type, Contains("cap_sys_admin"));
  }
}

TEST_CASE("a state that this machine does not have is a fault", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  const PowerControl nothing(PowerPlaces{"no-cpufreq", "no-powercap", "no-library"});
  CHECK_THROWS_AS(state_settings(all_processors, "as-is", control), PowerFault);
  CHECK_THROWS_AS(state_settings(all_processors, "-2GHz", control), PowerFault);
  CHECK_THROWS_AS(state_settings({true, 1}, "250W", control), PowerFault);
  CHECK_THROWS_AS(state_settings({false, 7}, "2GHz", control), PowerFault);
  CHECK_THROWS_AS(state_settings({false, 0}, "90W", control), PowerFault);
  CHECK_THROWS_AS(state_settings(all_processors, "2GHz", nothing), PowerFault);
  CHECK_THROWS_AS(state_settings(all_processors, "90W", nothing), PowerFault);
  CHECK_THROWS_AS(state_settings(first_gpu, "90W", nothing), PowerFault);
}

TEST_CASE("what was thrown in between is put back all the same", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  CHECK_THROWS_AS(
      [&] {
        const PowerGuard guard({{all_processors, "2GHz"}}, control, machine.file);
        throw std::runtime_error("a worker failed");
      }(),
      std::runtime_error);
  CHECK(machine.cpufreq.range(0) == as_found);
}

TEST_CASE("a second run waits until the first has put back what it found", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  const PowerGuard guard({{all_processors, "2GHz"}}, control, machine.file);
  CHECK_THROWS_AS(PowerGuard({{all_processors, "1GHz"}}, control, machine.file), PowerFault);
  CHECK(machine.cpufreq.range(0) == "2000000-2000000");
}

TEST_CASE("what cannot be put back stays in the file until it can", "[power]") {
  const FakeMachine machine;
  const PowerControl control(machine.places());
  const std::vector<PowerSetting> saved = {
      {PowerSetting::Kind::file, machine.cpufreq.root() + "/gone", "1"},
      {PowerSetting::Kind::gpu_limit, "0", "123000"}};
  save_settings(machine.file, saved);
  CHECK(read_saved_settings(machine.file) == saved);
  CHECK_THROWS_AS(restore_saved_settings(machine.file, control), PowerFault);
  CHECK(machine.gpus.get("limit-0") == "123000");  // the others are
  CHECK(std::filesystem::exists(machine.file));
  machine.cpufreq.set("gone", "0");
  restore_saved_settings(machine.file, control);
  CHECK(machine.cpufreq.get("gone") == "1");
  CHECK_FALSE(std::filesystem::exists(machine.file));
  CHECK_NOTHROW(restore_saved_settings(machine.file, control));
}

TEST_CASE("a file that is none of ours restores nothing", "[power]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_saved_settings(folder.file("a", "something else")), InputError);
  CHECK_THROWS_AS(read_saved_settings(folder.file("b", "stint-power 1\nwhat\tever\t1\n")),
                  InputError);
}
