// Runs our programs as a user does, and gives what they printed. For tests of command lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stint {

struct Ran {
  int exit = -1;  // 128 + the signal's number if a signal ended it
  std::string out;
  std::string err;
};

// An empty folder of its own, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Writes a file and gives its path.
  std::string file(const std::string& name, const std::string& text) const;
  std::vector<std::string> names() const;  // of what is in it, sorted

 private:
  std::filesystem::path folder_;
};

// Runs BUILD/`program`; `input` is its standard input.
Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                const std::string& input = "");

// Runs a program of the machine, such as `dot`; its exit is 127 if it is not installed.
Ran run_installed(const std::string& program, const std::vector<std::string>& arguments,
                  const std::string& input = "");

// A file of the repository, such as "models/chain5.json".
std::string bundled(const std::string& path);

}  // namespace stint
