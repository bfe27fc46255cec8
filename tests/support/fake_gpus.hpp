// GPUs for the fake management library (fake_nvml.cpp): a folder of numbers, named by the
// environment while it lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "platforms/system_files.hpp"
#include "tests/support/run_program.hpp"

namespace stint {

class FakeGpus {
 public:
  FakeGpus() { ::setenv("STINT_FAKE_NVML", folder_.path("").c_str(), 1); }
  ~FakeGpus() { ::unsetenv("STINT_FAKE_NVML"); }
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;

  static std::string library() { return STINT_BINARY_DIR "/tests/libfake_nvml.so"; }
  void set(const std::string& file, long long number) const {
    folder_.file(file, std::to_string(number));
  }
  void remove(const std::string& file) const { std::filesystem::remove(folder_.path(file)); }
  std::string get(const std::string& file) const {
    return SystemFiles::real().read(folder_.path(file));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace stint
