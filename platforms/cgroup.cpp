#include "platforms/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace stint {
namespace {

// Version 2 says "max", and version 1 a number beyond any memory, where there is no limit.
constexpr std::int64_t no_limit = std::int64_t{1} << 60;

std::int64_t read_limit(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::int64_t bytes = 0;
  return stream >> bytes && bytes > 0 ? bytes : no_limit;
}

// The least limit in `group` and in all groups that it is part of. A container may see only its own
// group, mounted as the root, under a name from outside; then the ways down lead nowhere.
std::int64_t least_limit(const std::filesystem::path& root, std::filesystem::path group,
                         const char* file) {
  std::int64_t least = read_limit(root / file);
  for (; group.has_relative_path(); group = group.parent_path()) {
    least = std::min(least, read_limit(root / group.relative_path() / file));
  }
  return least;
}

bool names_memory(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string controller; std::getline(list, controller, ',');) {
    if (controller == "memory") return true;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> memory_limit_bytes(const std::string& groups,
                                               const std::filesystem::path& root) {
  std::int64_t least = no_limit;
  std::istringstream lines(groups);
  std::string number, controllers, group;
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
         std::getline(lines, group)) {
    if (controllers.empty()) {
      least = std::min(least, least_limit(root, group, "memory.max"));
    } else if (names_memory(controllers)) {
      least = std::min(least, least_limit(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return least < no_limit ? std::optional(least) : std::nullopt;
}

}  // namespace stint
