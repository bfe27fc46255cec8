// Command lines: what is misused is refused with exit code 2, help and version are not.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/cli/refused.hpp"

using namespace stint;

namespace {

const std::string model = bundled("models/chain5.json");
const std::string platform = bundled("platforms/course.json");

using Arguments = std::vector<std::string>;

void require_misuse(const std::string& program, const Arguments& arguments) {
  const Ran ran = run_program(program, arguments);
  CAPTURE(program, arguments);
  require_refused(ran, program + ": ");
  REQUIRE(ran.err.size() < 200);  // clear, and not a number of three hundred digits
}

}  // namespace

TEST_CASE("plan refuses what it does not understand", "[cli]") {
  require_misuse("plan", {});
  require_misuse("plan", {model});
  require_misuse("plan", {model, platform, model});
  const Arguments options = GENERATE(
      Arguments{"--no-such-option"}, Arguments{"--strategy", "no-such-strategy"},
      Arguments{"--strategy"}, Arguments{"--objective", "speed"}, Arguments{"--bill", "period=x"},
      Arguments{"--bill", "monthly"}, Arguments{"--deadline", "soon"},
      Arguments{"--deadline", "-1"}, Arguments{"--deadline", "nan"}, Arguments{"--memory", "big"},
      Arguments{"--memory", "-1"}, Arguments{"--memory", "9999999999GiB"},
      Arguments{"--memory", "no/such=1GiB"}, Arguments{"--memory", "n0/ram="},
      Arguments{"--batch", "0"}, Arguments{"--batch", "x"}, Arguments{"--limit", "-1"},
      Arguments{"--limit", "nan"}, Arguments{"--seed", "x"}, Arguments{"--seed", "-1"},
      Arguments{"--threads", "-1"}, Arguments{"--json", "-o", "-"});
  Arguments arguments = {"-q", model, platform};
  arguments.insert(arguments.end(), options.begin(), options.end());
  require_misuse("plan", arguments);
}

TEST_CASE("show refuses what it does not understand", "[cli]") {
  require_misuse("show", {});
  require_misuse("show", {model, "--no-such-option"});
  require_misuse("show", {model, "--dot"});
  require_misuse("show", {model, model, model});
  require_misuse("show", {model, "--trace", "-", "--paje", "-"});
  require_misuse("show", {model, "--simgrid"});
  require_misuse("show", {model, "--simgrid", "-"});
  require_misuse("show", {model, model, "--simgrid", "no-such-folder"});
}

TEST_CASE("the programs tell their version and their options", "[cli]") {
  const std::string program = GENERATE("plan", "run", "show");
  const Ran version = run_program(program, {"--version"});
  REQUIRE(version.exit == 0);
  REQUIRE(version.out.find("0.1.0") != std::string::npos);
  const Ran help = run_program(program, {"--help"});
  REQUIRE(help.exit == 0);
  REQUIRE(help.out.find("--json") != std::string::npos);
  REQUIRE(help.err.empty());
}
