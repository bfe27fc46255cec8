#include "platforms/here.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include "platforms/cgroup.hpp"
#include "platforms/discovered.hpp"

namespace stint {
namespace {

// A temporary folder that is itself kept in memory is no disk: what goes there stays in memory.
std::int64_t free_disk_bytes() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  struct statfs status {};
  if (error || ::statfs(folder.c_str(), &status) != 0) return 0;
  if (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC) return 0;
  const std::uintmax_t free = std::filesystem::space(folder, error).available;
  return error ? 0 : static_cast<std::int64_t>(std::min<std::uintmax_t>(free, INT64_MAX));
}

std::string groups_of_this_process() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

// MemAvailable of /proc/meminfo: free, and what the system would give back.
std::int64_t available_to_the_system() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  for (std::int64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit)) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  return INT64_MAX;  // unknown: the mapping itself will tell
}

std::optional<std::int64_t> limit_of_this_process() {
  return memory_limit_bytes(groups_of_this_process(), "/sys/fs/cgroup");
}

}  // namespace

std::int64_t available_memory_bytes() {
  return std::min(available_to_the_system(), limit_of_this_process().value_or(INT64_MAX));
}

Platform discover_platform() {
  return platform_of(
      {.topology = topology_here(),
       .memory_limit_bytes = limit_of_this_process(),
       .disk_bytes = free_disk_bytes()});
}

}  // namespace stint
