// The program `show` as a user runs it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "files/text_file.hpp"
#include "tests/support/fake_cpufreq.hpp"
#include "tests/support/fake_powercap.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;
using Catch::Contains;

namespace {

std::string good() { return schedule_text(chain_kept_whole()); }

// The worker of the first action is one that there is not, and the file's prediction is wrong.
std::string with_wrong_names() {
  std::string text = good();
  const auto at = text.find("n0/cpu/0", text.find("\"actions\""));
  return text.replace(at, 8, "n0/cpu/9");
}

std::string cyclic() {
  Schedule schedule = chain_kept_whole();
  schedule.actions[0].after = {ActionId{10}};
  return schedule_text(schedule);
}

}  // namespace

TEST_CASE("show says what every kind of file is", "[show]") {
  CHECK_THAT(run_program("show", {bundled("models/chain5.json")}).out, Contains("a graph of 11"));
  CHECK_THAT(run_program("show", {bundled("platforms/course.json")}).out,
             Contains("a platform of 1 node"));
  CHECK_THAT(run_program("show", {"-"}, good()).out, Contains("a schedule of 11 actions"));
  const Ran here = run_program("show", {"here"});
  CHECK(here.exit == 0);
  CHECK_THAT(here.out, Contains("assumed") && Contains("counters") && Contains("powercap"));
}

TEST_CASE("show here tells which counters count", "[show]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0");
  tree.add_zone("intel-rapl:0:0", "dram");
  tree.add_zone("intel-rapl:1", "psys");
  const DrawingPower power(tree, {{"intel-rapl:0", 40}, {"intel-rapl:1", 60}});
  const Ran here = run_program("show", {"here", "--powercap-root", tree.root(), "--perf-root",
                                        "nowhere", "--nvml-library", "nothing"});
  CHECK(here.exit == 0);
  CHECK_THAT(here.out, Contains("powercap  package-0  yes                           yes, "));
  CHECK_THAT(here.out,
             Contains("powercap  dram       yes                           no: stands still"));
  CHECK_THAT(here.out, Contains("powercap  psys       never: contains the packages  yes, "));
  CHECK_THAT(here.out,
             Contains("no: nowhere is absent") && Contains("no: nothing cannot be loaded"));
  CHECK(here.out.find("joules are modelled") == std::string::npos);
}

TEST_CASE("show here tries which power states can be set, and leaves them as they were", "[show]") {
  const TemporaryFolder folder;
  ::setenv("XDG_STATE_HOME", folder.path("").c_str(), 1);
  const FakeCpufreq cpufreq;
  const auto here = [&](const std::string& root, std::vector<std::string> more) {
    more.insert(more.begin(), {"here", "--cpufreq-root", root, "--powercap-root", "nowhere",
                               "--perf-root", "nowhere", "--nvml-library", "nothing"});
    return run_program("show", more).out;
  };
  CHECK_THAT(here(cpufreq.root(), {}),
             Contains("frequency     processors  800MHz to 3000MHz  yes") &&
                 Contains("no: nowhere has no package"));
  CHECK(cpufreq.range(0) == "900000-3000000");
  CHECK(folder.names().size() <= 1);
  CHECK_THAT(
      here(cpufreq.root(), {"--json"}),
      Contains("\"counters\":[") && Contains("\"quantity\":\"frequency\",\"range\":\"800MHz to "
                                             "3000MHz\",\"can_be_set\":true"));
  CHECK_THAT(here("nowhere", {}), Contains("no: nowhere has no policy to set frequencies by"));
  ::unsetenv("XDG_STATE_HOME");
}

TEST_CASE("show --simgrid makes a folder of two files", "[show]") {
  const TemporaryFolder folder;
  const std::string there = folder.path("a/b");
  for (int time = 0; time < 2; ++time) {  // the second finds a folder with files in it
    const Ran ran = run_program("show", {"-", "--simgrid", there}, good());
    CHECK(ran.exit == 0);
    CHECK_THAT(ran.out, Contains("a schedule of 11 actions"));
  }
  CHECK_THAT(read_text(there + "/platform.xml"), Contains("<host id=\"n0/cpu\" "));
  CHECK_THAT(read_text(there + "/replay.txt"), Contains("actor n0/cpu/0\n"));
}

TEST_CASE("show --simgrid refuses what SimGrid cannot replay", "[show]") {
  const TemporaryFolder folder;
  const std::string there = folder.path("new");
  const Ran of_graph = run_program("show", {bundled("models/chain5.json"), "--simgrid", there});
  CHECK(of_graph.exit == 2);
  CHECK_THAT(of_graph.err, Contains("no schedule, so SimGrid cannot replay it; expected"));
  for (const std::string& bad : {with_wrong_names(), cyclic()}) {
    const Ran ran = run_program("show", {"-", "--simgrid", there}, bad);
    CHECK(ran.exit == 2);
    CHECK_THAT(ran.err, Contains("1 violation, so SimGrid cannot replay it; expected"));
    CHECK(ran.out.empty());
  }
  CHECK(folder.names().empty());
  const Ran on_file = run_program("show", {"-", "--simgrid", folder.file("f", "")}, good());
  CHECK(on_file.exit == 2);
  CHECK_THAT(on_file.err, Contains("f: ") && Contains("; expected a folder to write to\n"));
}

TEST_CASE("show names the formats that it reads", "[show]") {
  const Ran ran = run_program("show", {"-"}, R"({"format": "stint-x", "version": 1})");
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "show: standard input: /format: the format \"stint-x\"; expected stint-model, stint-tasks, "
        "stint-platform, stint-schedule, stint-run or stint-frontier\n");
}

TEST_CASE("show --check accepts good files", "[show]") {
  const Ran ran = run_program("show", {"-", "--check"}, good());
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("standard input: ok, 11 actions, ") && Contains(" rules\n"));
  const std::string model = bundled("models/chain5.json");
  CHECK(run_program("show", {model, "--check"}).out == model + ": ok, 11 tasks\n");
}

TEST_CASE("show --check lists violations, one a line, with exit code 5", "[show]") {
  const Ran ran = run_program("show", {"-", "--check"}, with_wrong_names());
  CHECK(ran.exit == 5);
  CHECK(ran.out ==
        "standard input: R1 /actions/0/worker: no worker named \"n0/cpu/9\"; expected one that "
        "exists\n");
  const Ran json = run_program("show", {"-", "--check", "--json"}, with_wrong_names());
  CHECK(json.exit == 5);
  CHECK_THAT(json.out, Contains("\"valid\":false") && Contains("\"rule\":\"R1\""));
  CHECK(run_program("show", {"-", "--json"}, with_wrong_names()).exit == 0);
}

TEST_CASE("show tells what it can of a schedule that cannot be simulated", "[show]") {
  const std::string text = GENERATE(with_wrong_names(), cyclic());
  const Ran ran = run_program("show", {"-"}, text);
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("NOT VALID: ") && Contains("the file's word"));
  CHECK_THAT(run_program("show", {"-", "--dot", "-"}, text).out, Contains("digraph"));
  const Ran trace = run_program("show", {"-", "--trace", "-"}, text);
  CHECK(trace.exit == 2);
  CHECK(trace.out.empty());
  CHECK_THAT(trace.err, Contains("cannot be simulated"));
}

TEST_CASE("show writes traces and pictures beside its summary", "[show]") {
  const TemporaryFolder folder;
  const Ran ran = run_program("show",
                              {"-", "--trace", folder.path("t.json"), "--paje",
                               folder.path("t.paje"), "--dot", folder.path("t.dot")},
                              good());
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("verdict    valid"));
  CHECK_THAT(read_text(folder.path("t.json")), Contains("traceEvents"));
  CHECK_THAT(read_text(folder.path("t.paje")), Contains("PajeCreateContainer"));
  CHECK_THAT(read_text(folder.path("t.dot")), Contains("digraph"));
}

TEST_CASE("a graph has no timeline to show", "[show]") {
  const Ran ran = run_program("show", {bundled("models/chain5.json"), "--paje", "-"});
  CHECK(ran.exit == 2);
  CHECK_THAT(ran.err, Contains("no schedule, so it has no timeline; expected a stint-schedule"));
}

TEST_CASE("show compares two schedules and nothing else", "[show]") {
  const TemporaryFolder folder;
  const std::string first = folder.file("a.json", good());
  const std::string second = folder.file("b.json", schedule_text(chain_recomputed()));
  CHECK_THAT(run_program("show", {first, second}).out, Contains("energy") && Contains("+18.2 %"));
  CHECK_THAT(run_program("show", {first, second, "--json"}).out, Contains("\"second\": {"));
  CHECK(run_program("show", {first, second, "--check"}).exit == 0);
  CHECK(run_program("show", {first, bundled("models/chain5.json")}).exit == 2);
  CHECK(run_program("show", {first, second, "--dot", "-"}).exit == 2);
}

TEST_CASE("a full disk ends show with exit code 1 and one line", "[show]") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Ran ran = run_program("show", {"-", "--trace", "/dev/full"}, good());
  CHECK(ran.exit == 1);
  CHECK_THAT(ran.err, Contains("/dev/full: not written"));
}
