// Models of layers on the command line: planned, shown, checked, run; what does not fit is refused.
#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "tests/cli/refused.hpp"

using namespace stint;
using Catch::Contains;

namespace {

using Arguments = std::vector<std::string>;

const std::string lenet5 = bundled("models/lenet5.json");
const std::string desk = bundled("platforms/desk.json");

Ran plan_lenet5(Arguments options) {
  options.insert(options.begin(), {"-q", lenet5, desk});
  return run_program("plan", options);
}

}  // namespace

TEST_CASE("a network is planned, checked and replayed", "[cli]") {
  const TemporaryFolder folder;
  const std::string schedule = folder.path("s.json");
  const Arguments options =
      GENERATE(Arguments{}, Arguments{"--batch", "16"},
               Arguments{"--batch", "16", "--microbatches", "4", "--leaves", "2"},
               Arguments{"--batch", "16", "--leaves", "8", "--grain", "2"},
               Arguments{"--batch", "16", "--leaves", "8", "--grain", "auto"},
               Arguments{"--batch", "16", "--layout", "nchw"},
               Arguments{"--batch", "16", "--leaves", "4", "--shard", "conv2=channels:2", "--shard",
                         "fc1=columns:3"},
               Arguments{"--batch", "4", "--objective", "time", "--shard", "auto"},
               Arguments{"--batch", "64", "--memory", "100%"});
  CAPTURE(options);
  Arguments all = options;
  all.insert(all.end(), {"--limit", "1", "-o", schedule});
  const Ran planned = plan_lenet5(all);
  CAPTURE(planned.err);
  REQUIRE(planned.exit == 0);
  const Ran checked = run_program("show", {schedule, "--check"});
  CHECK(checked.exit == 0);
  CHECK_THAT(checked.out, Contains("ok, ") && Contains("22 rules"));
  Arguments run = {schedule, "--steps", "2", "--warmup", "0", "-q", "--json"};
  if (!STINT_TRAINS) run.emplace_back("--synthetic");
  const Ran ran = run_program("run", run);
  CAPTURE(ran.err);
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("lenet5"));
}

TEST_CASE("state that does not fit lives on a disk, and training gives the same bits", "[cli]") {
  const TemporaryFolder folder;
  const auto state_after = [&](const std::string& memory) {
    const std::string schedule = folder.path("s.json");
    const Ran planned =
        plan_lenet5({"--batch", "16", "--memory", memory, "--limit", "1", "-o", schedule});
    CAPTURE(memory, planned.err);
    REQUIRE(planned.exit == 0);
    CHECK(run_program("show", {schedule, "--check"}).exit == 0);
    const std::regex home_on_disk(R"("memory": ?"n0/disk"[^}]*"initial": ?true)");
    CHECK(std::regex_search(read_text(schedule), home_on_disk) == (memory != "100%"));
    const std::string report = folder.path("r.json");
    Arguments run = {schedule, "--steps", "3", "--warmup", "0", "-q", "-o", report};
    if (!STINT_TRAINS) run.emplace_back("--synthetic");
    const Ran ran = run_program("run", run);
    CAPTURE(ran.err);
    REQUIRE(ran.exit == 0);
    std::smatch found;
    const std::string text = read_text(report);
    const std::regex hash("\"state_sha256\": ?\"([0-9a-f]+)\"");
    REQUIRE(std::regex_search(text, found, hash));
    return found[1].str();
  };
  const std::string kept = state_after("100%");
  CHECK(state_after("80%") == kept);
}

TEST_CASE("only a CPU trains, but the costs of any device are replayed", "[cli]") {
  const TemporaryFolder folder;
  const std::string schedule = folder.path("s.json");
  const std::string machine = bundled("platforms/a40-workstation.json");
  REQUIRE(run_program("plan", {"-q", lenet5, machine, "--batch", "64", "--objective", "time", "-o",
                               schedule})
              .exit == 0);
  require_refused(run_program("run", {schedule, "-q"}), "--synthetic");
  CHECK(run_program("run", {schedule, "-q", "--steps", "1", "--synthetic"}).exit == 0);
}

TEST_CASE("the same network and request give the same bytes", "[cli]") {
  const std::string grain = GENERATE("1", "auto");
  const Arguments options = {"--batch", "8", "--leaves", "4", "--grain", grain};
  const Ran once = plan_lenet5(options);
  CHECK(once.exit == 0);
  CHECK(once.out == plan_lenet5(options).out);
}

TEST_CASE("this machine prices the tasks of a network", "[cli]") {
  const Ran ran = run_program("plan", {"-q", "--json", lenet5, "here"});
  CAPTURE(ran.err);
  CHECK(ran.exit == 0);
}

TEST_CASE("batches that cannot be divided as asked are refused", "[cli]") {
  require_refused(plan_lenet5({"--batch", "8", "--microbatches", "3"}), "divisor of 8");
  require_refused(plan_lenet5({"--batch", "8", "--leaves", "16"}), "divisor of 8");
  require_refused(plan_lenet5({"--batch", "8", "--leaves", "8", "--grain", "3"}), "power of two");
  require_refused(plan_lenet5({"--batch", "9223372036854775807"}), "--batch: ");
  require_refused(plan_lenet5({"--grain", "0"}), "--grain");
  require_refused(plan_lenet5({"--grain", "fine"}), "auto or a number");
  require_refused(plan_lenet5({"--layout", "chwn"}), "--layout");
  require_refused(plan_lenet5({"--shard", "conv1=heads:2"}), "--shard: heads of \"conv1\"");
  require_refused(plan_lenet5({"--shard", "conv9=channels:2"}), "--shard: no layer");
}

TEST_CASE("what only layers have is refused for a graph of tasks", "[cli]") {
  const Arguments options = GENERATE(Arguments{"--batch", "2"}, Arguments{"--microbatches", "2"},
                                     Arguments{"--leaves", "2"}, Arguments{"--grain", "2"},
                                     Arguments{"--layout", "nchw"}, Arguments{"--shard", "2"});
  CAPTURE(options);
  Arguments all = {"-q", bundled("models/chain5.json"), desk};
  all.insert(all.end(), options.begin(), options.end());
  require_refused(run_program("plan", all), "model of layers");
}

TEST_CASE("a task that no device prices is named", "[cli]") {
  const TemporaryFolder folder;
  const std::string bare = folder.file(
      "bare.json", R"({"format": "stint-platform", "version": 1, "name": "bare", "nodes": [
    {"name": "n0", "memories": [{"name": "ram", "bytes": 1073741824}], "devices": [
      {"name": "cpu", "kind": "cpu", "memory": "ram", "workers": 1, "states": [
        {"name": "on", "speed": 1, "busy_watts": 1}]}]}]})");
  require_refused(run_program("plan", {"-q", lenet5, bare}),
                  "lenet5.json: task \"conv1.forward\" has no seconds, and no time model prices op "
                  "conv2d.forward; expected a time model for a device of the platform (cpu)");
}

TEST_CASE("show tells a network layer by layer", "[cli]") {
  const Ran text = run_program("show", {lenet5, "--batch", "32"});
  CHECK(text.exit == 0);
  CHECK_THAT(text.out, Contains("lenet5: a network of ") && Contains("61706 parameters"));
  CHECK_THAT(text.out, Contains("batch×6×28×28") && Contains("at batch 32"));
  const Ran json = run_program("show", {lenet5, "--json"});
  CHECK_THAT(json.out, Contains("\"parameters\":61706") && Contains("[\"batch\",6,28,28]") &&
                           Contains("\"batch\":1"));
  CHECK_THAT(run_program("show", {lenet5, "--check"}).out, Contains("lenet5.json: ok, "));
  CHECK_THAT(run_program("show", {lenet5, "--dot", "-"}).out, Contains("conv1\\nconv2d"));
}

TEST_CASE("show refuses a batch for what has none, and a batch that is too large", "[cli]") {
  require_refused(run_program("show", {desk, "--batch", "2"}), "expected a stint-model file");
  require_refused(run_program("show", {bundled("models/chain5.json"), "--batch", "2"}),
                  "expected a stint-model file");
  require_refused(run_program("show", {lenet5, "--batch", "0"}), "--batch");
  require_refused(run_program("show", {lenet5, "--batch", "9223372036854775807"}), "batch");
}
