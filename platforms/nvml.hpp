// NVIDIA's management library, found when the program runs: energy and power of GPUs, their limits
// and clocks. Prototypes are our own, so that nothing of it is needed to build.
//
// Only what the meters and the power states need. `SetApplicationsClocks` is on its way out (CUDA
// 13), so clocks are locked instead. Reference: nvml.h of CUDA 13.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace stint {

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

// The message is one line: the call and the library's own words.
struct NvmlError : std::runtime_error {
  NvmlError(const std::string& what, int nvml_code) : std::runtime_error(what), code(nvml_code) {}
  int code;
  bool not_permitted() const { return code == 4; }
};

struct PowerLimits {
  unsigned least_milliwatts = 0;
  unsigned greatest_milliwatts = 0;
};

class Nvml {
 public:
  // Throws NvmlError if the library, or a driver behind it, is not there.
  explicit Nvml(const std::string& library = nvml_library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  int gpus() const;

  // All throw NvmlError, also where the library lacks the call.
  std::uint64_t energy_millijoules(int gpu) const;  // since the driver was loaded; Volta and later
  unsigned power_milliwatts(int gpu) const;
  unsigned power_limit_milliwatts(int gpu) const;
  PowerLimits power_limits(int gpu) const;
  void set_power_limit_milliwatts(int gpu, unsigned milliwatts) const;
  unsigned clock_mhz(int gpu) const;  // of the multiprocessors, now
  void lock_clock_mhz(int gpu, unsigned mhz) const;
  void unlock_clock(int gpu) const;
  std::uint64_t throttle_reasons(int gpu) const;  // bits; 1 is idle

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace stint
