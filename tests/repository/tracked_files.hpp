// The files of this repository as git knows them; without git, those of the source folder that are
// neither hidden nor built.
#pragma once

#include <string>
#include <vector>

namespace stint {

// Paths from the top of the repository, sorted.
std::vector<std::string> tracked_files();

std::string tracked_text(const std::string& path);

}  // namespace stint
