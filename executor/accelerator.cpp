#include "executor/accelerator.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "files/input_error.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

constexpr const char* module_file = "libstint_cuda.so";
constexpr const char* entry_point = "stint_open_accelerator";
constexpr const char* finding_point = "stint_find_gpus";
using FindGpus = void (*)(std::vector<FoundGpu>&);
using OpenAccelerator = Accelerator* (*)(const Schedule&, std::int64_t);

// The name of a device that the schedule uses and that is of that kind; "" if there is none.
std::string used_device(const Schedule& schedule) {
  const std::vector<Worker> all = workers(schedule.platform);
  for (const Action& action : schedule.actions) {
    const Worker& worker = all[action.worker];
    if (worker.is_link() || !is_gpu(schedule.platform.devices[worker.device])) continue;
    return device_name(schedule.platform, DeviceId{worker.device});
  }
  return "";
}

[[noreturn]] void refuse(const Schedule& schedule, const std::string& fault) {
  throw InputError("device " + in_quotes(used_device(schedule)),
                   fault +
                       "; expected a GPU of NVIDIA with its driver and the libraries of CUDA, "
                       "or --synthetic, which replays costs alone");
}

// Beside the program, as in a build folder, or where it is installed.
void* open_module() {
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& file : {folder / module_file, folder / "../lib/stint" / module_file}) {
    if (std::filesystem::exists(file, ignored)) return ::dlopen(file.c_str(), RTLD_NOW);
  }
  return ::dlopen(module_file, RTLD_NOW);
}

OpenAccelerator find_entry_point(const Schedule& schedule) {
  void* const module = open_module();
  const char* const why = module == nullptr ? ::dlerror() : nullptr;
  if (module == nullptr)
    refuse(schedule, fmt::format("of kind {}, and its module is not to be had: {}",
                                 in_quotes(cuda_kind), why == nullptr ? "no reason" : why));
  void* const found = ::dlsym(module, entry_point);
  if (found == nullptr) refuse(schedule, fmt::format("{} has no {}", module_file, entry_point));
  return reinterpret_cast<OpenAccelerator>(found);
}

}  // namespace

bool has_gpus(const Platform& platform) {
  return std::any_of(platform.devices.begin(), platform.devices.end(), is_gpu);
}

std::vector<FoundGpu> find_gpus() {
  if (!has_accelerators()) return {};
  void* const module = open_module();
  if (module == nullptr) return {};
  void* const found = ::dlsym(module, finding_point);
  if (found == nullptr) return {};
  std::vector<FoundGpu> gpus;
  reinterpret_cast<FindGpus>(found)(gpus);
  return gpus;
}

bool has_accelerators() { return STINT_HAS_CUDA; }

bool needs_accelerator(const Schedule& schedule) { return !used_device(schedule).empty(); }

std::unique_ptr<Accelerator> open_accelerator(const Schedule& schedule, std::int64_t seed) {
  if (!has_accelerators())
    refuse(schedule,
           fmt::format("of kind {}, for which this build has no kernels", in_quotes(cuda_kind)));
  const OpenAccelerator open = find_entry_point(schedule);
  return std::unique_ptr<Accelerator>(open(schedule, seed));
}

}  // namespace stint
