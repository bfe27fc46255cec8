// Output that cannot be written: one line, the right exit code, and no part of a file.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

const std::string model = bundled("models/chain5.json");
const std::string platform = bundled("platforms/course.json");

void require_one_line(const Ran& ran, int exit) {
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit == exit);
  REQUIRE(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("an output in a folder that is not there is refused", "[cli]") {
  const TemporaryFolder folder;
  const std::string nowhere = folder.path("no-such-folder/out.json");
  require_one_line(run_program("plan", {"-q", model, platform, "-o", nowhere}), 2);
  require_one_line(run_program("show", {model, "--dot", nowhere}), 2);
  REQUIRE(folder.names().empty());
}

TEST_CASE("an output that is a folder is refused and left alone", "[cli]") {
  const TemporaryFolder folder;
  const std::string target = folder.path("out.json");
  std::filesystem::create_directory(target);
  require_one_line(run_program("plan", {"-q", model, platform, "-o", target}), 2);
  require_one_line(run_program("show", {model, "--dot", target}), 2);
  REQUIRE(folder.names() == std::vector<std::string>{"out.json"});
  REQUIRE(std::filesystem::is_empty(target));
}

TEST_CASE("a full disk is the machine's fault", "[cli]") {
  if (!std::filesystem::exists("/dev/full")) return;
  require_one_line(run_program("plan", {"-q", model, platform, "-o", "/dev/full"}), 1);
}

TEST_CASE("what is refused leaves an older output as it was", "[cli]") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.json", "older");
  const std::string bad = folder.file("bad.json", "{");
  require_one_line(run_program("plan", {"-q", bad, platform, "-o", out}), 2);
  require_one_line(run_program("show", {bad, "--dot", out}), 2);
  REQUIRE(read_text(out) == "older");
  REQUIRE(folder.names() == std::vector<std::string>{"bad.json", "out.json"});
}

TEST_CASE("a plan that cannot be made writes nothing", "[cli]") {
  const TemporaryFolder folder;
  const Ran ran =
      run_program("plan", {model, platform, "--memory", "1", "-o", folder.path("out.json")});
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 3);
  REQUIRE(folder.names().empty());
}

TEST_CASE("plan gives the same bytes each time, on standard output and in a file", "[cli]") {
  const TemporaryFolder folder;
  const std::string out = folder.path("out.json");
  const Ran file = run_program("plan", {"-q", model, platform, "-o", out});
  const Ran standard = run_program("plan", {"-q", model, platform, "--threads", "2"});
  const Ran from_input = run_program("plan", {"-q", "-", platform, "-o", "-"}, read_text(model));
  REQUIRE(file.exit == 0);
  REQUIRE(file.out.empty());
  REQUIRE(file.err.empty());
  REQUIRE(standard.out == read_text(out));
  REQUIRE(from_input.out == standard.out);
  REQUIRE(run_program("show", {out, "--check"}).exit == 0);
  REQUIRE(run_program("show", {"-", "--check"}, standard.out).exit == 0);
}
