// What the README shows is what the programs print.
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "files/text_file.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

struct Example {
  std::string command;  // without its comment
  std::string shown;    // the lines below it, without their indent
};

// The README's lines `    $ build/…`, each with the output below it.
std::vector<Example> examples(const std::string& readme) {
  std::vector<Example> all;
  std::istringstream lines(readme);
  bool in_example = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    $ build/")) {
      const std::string command = line.substr(6, line.find(" #") - 6);
      all.push_back({command.substr(0, command.find_last_not_of(' ') + 1), ""});
      in_example = true;
    } else if (in_example && line.starts_with("    ")) {
      all.back().shown += line.substr(4) + '\n';
    } else {
      in_example = false;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("the README's commands print what it shows", "[cli]") {
  const TemporaryFolder folder;
  // The commands name our files from the top of the repository, and their own where they stand.
  for (const char* name : {"models", "platforms"}) {
    std::filesystem::create_directory_symlink(bundled(name), folder.path(name));
  }
  std::filesystem::create_directory_symlink(STINT_BINARY_DIR, folder.path("build"));
  const auto all = examples(read_text(bundled("README.md")));
  REQUIRE(all.size() >= 6);
  for (const Example& example : all) {
    const auto has = [&](const char* part) {
      return example.command.find(part) != std::string::npos;
    };
    if (!STINT_TRAINS && has("run") && has("--eval")) continue;
    if (std::string(STINT_DIGITS).empty() && has("idx:build/digits")) continue;
    CAPTURE(example.command);
    const Ran ran =
        run_installed("sh", {"-c", "cd '" + folder.path("") + "' && " + example.command + " 2>&1"});
    CAPTURE(ran.out, ran.err);
    if (!example.shown.empty()) CHECK(ran.out == example.shown);
    CHECK(ran.exit != 1);
    CHECK(ran.exit != 2);
  }
}
