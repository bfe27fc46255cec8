#include "tests/support/bundled_files.hpp"

#include <algorithm>
#include <filesystem>

#include "files/text_file.hpp"

namespace stint {

std::vector<std::string> bundled_files(const std::string& folder, const std::string& format) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(STINT_SOURCE_DIR "/" + folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".json") || path.ends_with(".schema.json")) continue;
    if (read_text(path).starts_with("{\"format\": \"" + format + "\"")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace stint
