#include "tests/support/run_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stint {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "stint-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                const std::string& input) {
  return run_installed(STINT_BINARY_DIR "/" + program, arguments, input);
}

Ran run_installed(const std::string& program, const std::vector<std::string>& arguments,
                  const std::string& input) {
  const TemporaryFolder folder;
  std::string command = quoted(program);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " <" + quoted(folder.file("in", input)) + " >" + quoted(folder.path("out")) + " 2>" +
             quoted(folder.path("err"));
  Ran ran;
  ran.exit = exit_code(std::system(command.c_str()));
  ran.out = contents(folder.path("out"));
  ran.err = contents(folder.path("err"));
  return ran;
}

std::string bundled(const std::string& path) { return STINT_SOURCE_DIR "/" + path; }

}  // namespace stint
