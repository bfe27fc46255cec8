#include "platforms/nvml.hpp"

#include <dlfcn.h>

#include <vector>

namespace stint {
namespace {

constexpr int success = 0;
constexpr int function_not_found = 13;
constexpr int multiprocessor_clock = 1;

}  // namespace

struct Nvml::Library {
  using Handle = struct NvmlDevice*;  // the library's own
  void* code = nullptr;
  bool is_initialised = false;
  std::vector<Handle> gpus;

  explicit Library(const std::string& name) : code(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (code == nullptr) throw NvmlError(name + " cannot be loaded", function_not_found);
  }
  ~Library() {
    if (is_initialised) {
      if (void* const end = ::dlsym(code, "nvmlShutdown")) reinterpret_cast<int (*)()>(end)();
    }
    ::dlclose(code);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::string words(int result) const {
    void* const symbol = ::dlsym(code, "nvmlErrorString");
    if (symbol == nullptr) return "error " + std::to_string(result);
    return reinterpret_cast<const char* (*)(int)>(symbol)(result);
  }

  template <typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    void* const symbol = ::dlsym(code, name);
    if (symbol == nullptr)
      throw NvmlError(std::string(name) + ": no such call", function_not_found);
    const int result = reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
    if (result != success) throw NvmlError(std::string(name) + ": " + words(result), result);
  }

  template <typename Value>
  Value get(const char* name, int gpu) const {
    Value value = 0;
    call(name, gpus.at(gpu), &value);
    return value;
  }
};

Nvml::Nvml(const std::string& library) : library_(std::make_unique<Library>(library)) {
  library_->call("nvmlInit_v2");
  library_->is_initialised = true;
  unsigned count = 0;
  library_->call("nvmlDeviceGetCount_v2", &count);
  for (unsigned i = 0; i < count; ++i) {
    Library::Handle handle = nullptr;
    library_->call("nvmlDeviceGetHandleByIndex_v2", i, &handle);
    library_->gpus.push_back(handle);
  }
}

Nvml::~Nvml() = default;

int Nvml::gpus() const { return static_cast<int>(library_->gpus.size()); }

std::uint64_t Nvml::energy_millijoules(int gpu) const {
  return library_->get<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", gpu);
}

unsigned Nvml::power_milliwatts(int gpu) const {
  return library_->get<unsigned>("nvmlDeviceGetPowerUsage", gpu);
}

unsigned Nvml::power_limit_milliwatts(int gpu) const {
  return library_->get<unsigned>("nvmlDeviceGetPowerManagementLimit", gpu);
}

PowerLimits Nvml::power_limits(int gpu) const {
  PowerLimits limits;
  library_->call("nvmlDeviceGetPowerManagementLimitConstraints", library_->gpus.at(gpu),
                 &limits.least_milliwatts, &limits.greatest_milliwatts);
  return limits;
}

void Nvml::set_power_limit_milliwatts(int gpu, unsigned milliwatts) const {
  library_->call("nvmlDeviceSetPowerManagementLimit", library_->gpus.at(gpu), milliwatts);
}

unsigned Nvml::clock_mhz(int gpu) const {
  unsigned mhz = 0;
  library_->call("nvmlDeviceGetClockInfo", library_->gpus.at(gpu), multiprocessor_clock, &mhz);
  return mhz;
}

void Nvml::lock_clock_mhz(int gpu, unsigned mhz) const {
  library_->call("nvmlDeviceSetGpuLockedClocks", library_->gpus.at(gpu), mhz, mhz);
}

void Nvml::unlock_clock(int gpu) const {
  library_->call("nvmlDeviceResetGpuLockedClocks", library_->gpus.at(gpu));
}

std::uint64_t Nvml::throttle_reasons(int gpu) const {
  return library_->get<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu);
}

}  // namespace stint
