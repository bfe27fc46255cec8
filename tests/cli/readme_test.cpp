// What the README shows is what the programs print.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
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

// The file that a command writes with -o; empty if it writes none.
std::string written_by(const std::string& command) {
  const std::size_t option = command.find(" -o ");
  if (option == std::string::npos) return "";
  const std::string rest = command.substr(option + 4);
  return rest.substr(0, rest.find(' '));
}

bool names(const std::string& command, const std::string& file) {
  return !file.empty() && (command + ' ').find(' ' + file + ' ') != std::string::npos;
}

// Those from `first` to `end`, after the first that write what these read.
std::vector<Example> with_what_is_read(const std::vector<Example>& all, std::size_t first,
                                       std::size_t end) {
  const std::vector<Example> asked(all.begin() + first, all.begin() + end);
  std::vector<Example> part;
  std::set<std::string> written;
  for (std::size_t i = 0; i < first; ++i) {
    const std::string file = written_by(all[i].command);
    const bool is_read = std::any_of(asked.begin(), asked.end(), [&](const Example& example) {
      return names(example.command, file) && written_by(example.command) != file;
    });
    if (is_read && written.insert(file).second) part.push_back(all[i]);
  }
  part.insert(part.end(), asked.begin(), asked.end());
  return part;
}

void check_example(const Example& example, const TemporaryFolder& folder) {
  const auto has = [&](const char* part) {
    return example.command.find(part) != std::string::npos;
  };
  if (!STINT_TRAINS && has("run") && has("--eval")) return;
  if (std::string(STINT_DIGITS).empty() && has("idx:build/digits")) return;
  CAPTURE(example.command);
  const Ran ran =
      run_installed("sh", {"-c", "cd '" + folder.path("") + "' && " + example.command + " 2>&1"});
  CAPTURE(ran.out, ran.err);
  if (!example.shown.empty()) CHECK(ran.out == example.shown);
  CHECK(ran.exit != 1);
  CHECK(ran.exit != 2);
}

// From the command with the first words on to that with the other ones; empty: from the beginning,
// to the end.
void check_examples(const std::string& from, const std::string& until) {
  const TemporaryFolder folder;
  // The commands name our files from the top of the repository, and their own where they stand.
  for (const char* name : {"models", "platforms"}) {
    std::filesystem::create_directory_symlink(bundled(name), folder.path(name));
  }
  std::filesystem::create_directory_symlink(STINT_BINARY_DIR, folder.path("build"));
  const auto all = examples(read_text(bundled("README.md")));
  REQUIRE(all.size() >= 6);
  const auto place_of = [&](const std::string& words) {
    std::size_t i = 0;
    while (i < all.size() && all[i].command.find(words) == std::string::npos) ++i;
    REQUIRE(i < all.size());
    return i;
  };
  const std::size_t first = from.empty() ? 0 : place_of(from);
  const std::size_t end = until.empty() ? all.size() : place_of(until);
  REQUIRE(first < end);
  for (const Example& example : with_what_is_read(all, first, end)) check_example(example, folder);
}

}  // namespace

// In parts that may run at once: each takes a while.
TEST_CASE("the README's first commands print what it shows", "[cli]") {
  check_examples("", "--what-if");
}

TEST_CASE("the README's command that asks what if prints what it shows", "[cli]") {
  check_examples("--what-if", "run bound.json");
}

TEST_CASE("the README's commands that run and measure print what it shows", "[cli]") {
  check_examples("run bound.json", "");
}
