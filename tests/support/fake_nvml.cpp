// A shared library in place of NVIDIA's, for tests: GPUs are what the files of a folder say, named
// by the environment. A file `NAME-GPU` holds one number; a call without its file is not supported,
// and a file `refuse` refuses everything that sets. What is set stays, as in a driver, and gets a
// line in the file `history` if there is one.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

enum Result { success = 0, not_supported = 3, no_permission = 4, unknown = 999 };
struct Gpu {
  int index;
};
Gpu gpus[16];

std::string folder() {
  const char* const path = std::getenv("STINT_FAKE_NVML");
  return path == nullptr ? "" : std::string(path) + "/";
}

std::string path_of(const char* name, const Gpu* gpu) {
  return folder() + name + "-" + std::to_string(gpu->index);
}

template <typename Number>
int get(const char* name, const Gpu* gpu, Number* value) {
  return std::ifstream(path_of(name, gpu)) >> *value ? success : not_supported;
}

int set(const char* name, const Gpu* gpu, unsigned value) {
  if (std::filesystem::exists(folder() + "refuse")) return no_permission;
  if (!std::filesystem::exists(path_of(name, gpu))) return not_supported;
  std::ofstream(path_of(name, gpu)) << value;
  if (std::filesystem::exists(folder() + "history"))
    std::ofstream(folder() + "history", std::ios::app) << name << ' ' << value << '\n';
  return success;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return std::filesystem::exists(folder() + "gpus") ? success : unknown; }
int nvmlShutdown() { return success; }
const char* nvmlErrorString(int result) {
  if (result == not_supported) return "Not Supported";
  return result == no_permission ? "Insufficient Permissions" : "Unknown Error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  return std::ifstream(folder() + "gpus") >> *count ? success : unknown;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Gpu** gpu) {
  gpus[index].index = static_cast<int>(index);
  *gpu = &gpus[index];
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(Gpu* gpu, unsigned long long* millijoules) {
  return get("energy", gpu, millijoules);
}
int nvmlDeviceGetPowerUsage(Gpu* gpu, unsigned* milliwatts) {
  return get("power", gpu, milliwatts);
}
int nvmlDeviceGetPowerManagementLimit(Gpu* gpu, unsigned* milliwatts) {
  return get("limit", gpu, milliwatts);
}
int nvmlDeviceGetPowerManagementLimitConstraints(Gpu* gpu, unsigned* least, unsigned* greatest) {
  const int result = get("least-limit", gpu, least);
  return result == success ? get("greatest-limit", gpu, greatest) : result;
}
int nvmlDeviceSetPowerManagementLimit(Gpu* gpu, unsigned milliwatts) {
  return set("limit", gpu, milliwatts);
}
int nvmlDeviceGetClockInfo(Gpu* gpu, int, unsigned* mhz) {
  const int locked = get("locked-clock", gpu, mhz);
  return locked == success && *mhz > 0 ? success : get("clock", gpu, mhz);
}
int nvmlDeviceSetGpuLockedClocks(Gpu* gpu, unsigned mhz, unsigned) {
  return set("locked-clock", gpu, mhz);
}
int nvmlDeviceResetGpuLockedClocks(Gpu* gpu) { return set("locked-clock", gpu, 0); }
int nvmlDeviceGetCurrentClocksThrottleReasons(Gpu* gpu, unsigned long long* reasons) {
  return get("throttle", gpu, reasons);
}
}
