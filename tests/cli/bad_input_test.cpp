// Files that are not what they should be: one clear line, exit code 2, nothing left behind.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "tests/cli/refused.hpp"
#include "tests/support/replaced.hpp"

using namespace stint;

namespace {

struct BadFile {
  std::string what;
  std::string text;
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Damage that no JSON file survives, whatever it describes.
std::vector<BadFile> damaged(const std::string& good) {
  return {
      {"empty", ""},
      {"only white space", " \n\t"},
      {"cut in half", good.substr(0, good.size() / 2)},
      {"without its last bracket", good.substr(0, good.rfind('}'))},
      {"followed by more", good + "{}"},
      {"a list", "[" + good + "]"},
      {"a number", "1"},
      {"a string", "\"stint-tasks\""},
      {"null", "null"},
      {"deeply nested lists", repeated("[", 100000)},
      {"deeply nested lists, closed", repeated("[", 100000) + repeated("]", 100000)},
      {"deeply nested objects", repeated("{\"a\":", 100000)},
      {"deeply nested under a key",
       replaced(good, "\"version\": 1", "\"version\": " + repeated("[", 100000))},
      {"binary", std::string("\x7f"
                             "ELF\x02\x01\x01\x00\x00\x00\xff\xfe",
                             12)},
      {"zero bytes", std::string(1000, '\0')},
      {"not UTF-8", replaced(good, "\"name\": \"", "\"name\": \"\xff\xc0")},
      {"UTF-16", std::string("\xff\xfe{\0\"\0", 6)},
      {"a control character in a string", replaced(good, "\"name\": \"", "\"name\": \"\n")},
      {"an unknown format", replaced(good, "\"format\": \"stint-", "\"format\": \"other-")},
      {"a version to come", replaced(good, "\"version\": 1", "\"version\": 2")},
      {"a version that is text", replaced(good, "\"version\": 1", "\"version\": \"1\"")},
      {"a huge version", replaced(good, "\"version\": 1", "\"version\": 1e400")},
      {"an unknown key", replaced(good, "\"version\": 1", "\"version\": 1, \"colour\": \"red\"")},
      {"a key twice", replaced(good, "\"version\": 1", "\"version\": 1, \"version\": 1")},
      {"a name that is a number", replaced(good, "\"name\": \"", "\"name\": 1, \"nome\": \"")},
  };
}

std::vector<BadFile> bad_graphs() {
  const std::string good = read_text(bundled("models/chain5.json"));
  std::vector<BadFile> files = damaged(good);
  for (const char* bytes :
       {"-1", "1.5", "1e30", "9223372036854775808", "\"1\"", "null", "[1]", "true"})
    files.push_back({std::string("a tensor of bytes ") + bytes,
                     replaced(good, "\"bytes\": 1", std::string("\"bytes\": ") + bytes)});
  files.push_back(
      {"a tensor that nobody knows", replaced(good, "\"reads\": [\"", "\"reads\": [\"no such ")});
  return files;
}

std::vector<BadFile> bad_platforms() {
  const std::string good = read_text(bundled("platforms/course.json"));
  std::vector<BadFile> files = damaged(good);
  for (const char* workers : {"-1", "0", "1e30", "2147483648", "\"1\"", "null", "[]"})
    files.push_back({std::string("a device of workers ") + workers,
                     replaced(good, "\"workers\": 1", std::string("\"workers\": ") + workers)});
  return files;
}

void require_all_refused(const std::vector<BadFile>& files,
                         const std::vector<std::string>& command) {
  for (const auto& [what, text] : files) {
    const TemporaryFolder folder;
    const std::string bad = folder.file("bad.json", text);
    std::vector<std::string> arguments(command.begin() + 1, command.end());
    for (std::string& argument : arguments) {
      if (argument == "BAD") argument = bad;
      if (argument == "OUT") argument = folder.path("out.json");
    }
    CAPTURE(command.front(), what);
    require_refused(run_program(command.front(), arguments), "bad.json: ");
    REQUIRE(folder.names() == std::vector<std::string>{"bad.json"});
  }
}

}  // namespace

TEST_CASE("plan refuses a bad model with one line", "[cli]") {
  require_all_refused(bad_graphs(), {"plan", "BAD", bundled("platforms/course.json"), "-o", "OUT"});
}

TEST_CASE("plan refuses a bad platform with one line", "[cli]") {
  require_all_refused(bad_platforms(), {"plan", bundled("models/chain5.json"), "BAD", "-o", "OUT"});
}

TEST_CASE("show refuses a bad model with one line", "[cli]") {
  require_all_refused(bad_graphs(), {"show", "BAD", "--dot", "OUT"});
}

TEST_CASE("show refuses a bad platform with one line", "[cli]") {
  require_all_refused(bad_platforms(), {"show", "BAD", "--check"});
}

TEST_CASE("show refuses a bad schedule with one line", "[cli]") {
  const Ran planned =
      run_program("plan", {"-q", bundled("models/chain5.json"), bundled("platforms/course.json")});
  REQUIRE(planned.exit == 0);
  std::vector<BadFile> files = damaged(planned.out);
  for (const char* id : {"-9223372036854775809", "1.5", "1e30", "\"1\"", "null", "{}"})
    files.push_back({std::string("an action of id ") + id,
                     replaced(planned.out, "\"actions\": [\n  {\"id\": 0",
                              std::string("\"actions\": [{\"id\": ") + id)});
  require_all_refused(files, {"show", "BAD", "--check"});
  require_all_refused(files, {"show", "BAD", "--trace", "OUT"});
}

TEST_CASE("a file that is not there, or is a folder, is refused with one line", "[cli]") {
  const TemporaryFolder folder;
  const std::string good_model = bundled("models/chain5.json");
  const std::string good_platform = bundled("platforms/course.json");
  const std::string missing = folder.path("missing.json");
  const std::string empty_folder = folder.path("folder.json");
  std::filesystem::create_directory(empty_folder);
  const std::string out = folder.path("out.json");
  for (const std::string& bad : {missing, empty_folder}) {
    const std::string name = std::filesystem::path(bad).filename().string();
    require_refused(run_program("plan", {bad, good_platform, "-o", out}), name);
    require_refused(run_program("plan", {good_model, bad, "-o", out}), name);
    require_refused(run_program("show", {bad}), name);
    require_refused(run_program("show", {bad, "--json"}), name);
  }
  REQUIRE(folder.names() == std::vector<std::string>{"folder.json"});
}

TEST_CASE("bad standard input is refused with one line", "[cli]") {
  require_refused(run_program("plan", {"-", bundled("platforms/course.json")}, "{\"format\": "),
                  "");
  require_refused(run_program("show", {"-"}, "[1, 2"), "");
}
