#include "tests/repository/tracked_files.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace stint {
namespace {

const std::string source_folder = STINT_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  for (int next = 0; pipe && (next = std::fgetc(pipe.get())) != EOF;)
    text += static_cast<char>(next);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_outside(const std::string& top) { return top.starts_with(".") || top.starts_with("build"); }

std::vector<std::string> walk() {
  std::vector<std::string> files;
  for (std::filesystem::recursive_directory_iterator it(source_folder), end; it != end; ++it) {
    const auto path = std::filesystem::relative(it->path(), source_folder);
    if (it.depth() == 0 && is_outside(path.string())) it.disable_recursion_pending();
    if (it->is_regular_file() && !is_outside(path.begin()->string()))
      files.push_back(path.generic_string());
  }
  return files;
}

bool is_there(const std::string& path) {
  return std::filesystem::is_regular_file(source_folder + "/" + path);
}

}  // namespace

std::vector<std::string> tracked_files() {
  auto files = lines_of("git -C '" + source_folder + "' ls-files 2>/dev/null");
  if (files.empty()) files = walk();
  std::erase_if(files, [](const std::string& path) { return !is_there(path); });
  std::sort(files.begin(), files.end());
  return files;
}

std::string tracked_text(const std::string& path) {
  std::ifstream file(source_folder + "/" + path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace stint
