// A cpufreq tree in a temporary folder: policies of one processor each.
#pragma once

#include <cerrno>
#include <filesystem>
#include <string>

#include "platforms/system_files.hpp"
#include "tests/support/run_program.hpp"

namespace stint {

class FakeCpufreq {
 public:
  explicit FakeCpufreq(int policies = 2, const std::string& governor = "schedutil") {
    for (int i = 0; i < policies; ++i) {
      const std::string policy = "policy" + std::to_string(i);
      std::filesystem::create_directories(folder_.path(policy));
      set(policy + "/scaling_governor", governor);
      set(policy + "/related_cpus", std::to_string(i));
      set(policy + "/cpuinfo_min_freq", "800000");
      set(policy + "/scaling_min_freq", "900000");
      set(policy + "/scaling_max_freq", "3000000");
      set(policy + "/scaling_setspeed", governor == "userspace" ? "2000000" : "<unsupported>");
    }
  }

  std::string root() const { return folder_.path(""); }
  void set(const std::string& file, const std::string& text) const { folder_.file(file, text); }
  std::string get(const std::string& file) const {
    return SystemFiles::real().read(folder_.path(file));
  }
  // `900000-3000000`
  std::string range(int policy) const {
    const std::string name = "policy" + std::to_string(policy);
    return get(name + "/scaling_min_freq") + "-" + get(name + "/scaling_max_freq");
  }

 private:
  TemporaryFolder folder_;
};

// Of a machine that lets nobody set anything.
struct RefusingFiles : SystemFiles {
  void write(const std::string& path, const std::string&) const override {
    throw SystemFileError(path, EACCES);
  }
};

}  // namespace stint
