// The JSON files of a folder of the repository.
#pragma once

#include <string>
#include <vector>

namespace stint {

// Paths of those whose text names the format, sorted; without schemas.
std::vector<std::string> bundled_files(const std::string& folder, const std::string& format);

}  // namespace stint
