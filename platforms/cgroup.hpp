// How much memory the control groups of this process leave it: the least of the limits on the way
// from its group to the root, for versions 1 and 2. Containers and job schedulers set them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace stint {

// `groups` is the text of /proc/self/cgroup, `root` is where the groups are mounted. Nothing if
// there is no limit, or none to be read.
std::optional<std::int64_t> memory_limit_bytes(const std::string& groups,
                                               const std::filesystem::path& root);

}  // namespace stint
