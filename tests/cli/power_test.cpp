// Power states as a user of `run` meets them: set, put back, and put back after a kill.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "files/text_file.hpp"
#include "tests/cli/short_plan.hpp"
#include "tests/support/fake_cpufreq.hpp"

using namespace stint;
using Catch::Contains;

namespace {

const std::string as_found = "900000-3000000";
const std::string slowest = "1200000-1200000";

// A plan for the slowest frequency of a machine, and a tree in which it can be set.
struct SlowPlan {
  TemporaryFolder folder;
  FakeCpufreq cpufreq;
  // Where the window is paid anyway, slow is best.
  std::string plan = short_plan_for(folder, "0.0002", "g5k-taurus", {"--bill", "period=60"});
  std::string saved = folder.path("stint/power");

  SlowPlan() { ::setenv("XDG_STATE_HOME", folder.path("").c_str(), 1); }
  ~SlowPlan() { ::unsetenv("XDG_STATE_HOME"); }

  Ran run_with(std::vector<std::string> options) const {
    options.insert(options.begin(), {plan, "--meter", "model"});
    return run_program("run", options);
  }
  // Ends a long run by a signal, sent once, when it has set its states.
  Ran end_by(const std::string& signal) const {
    Ran ran;
    for (const char* seconds : {"0.5", "2", "8", "30"}) {  // a busy machine takes longer
      ran =
          run_installed("timeout", {"--foreground", "--preserve-status", "--signal=" + signal,
                                    seconds, STINT_BINARY_DIR "/run", plan, "--steps", "100000000",
                                    "--meter", "model", "--cpufreq-root", cpufreq.root()});
      const bool began = signal == "KILL" ? std::filesystem::exists(saved)
                                          : ran.err.find(" in step ") != std::string::npos;
      if (began) break;
    }
    return ran;
  }
};

}  // namespace

TEST_CASE("run sets a plan's power state and puts back what it found", "[cli]") {
  const SlowPlan slow;
  REQUIRE_THAT(read_text(slow.plan), Contains("1200MHz"));
  const Ran ran = slow.run_with({"--cpufreq-root", slow.cpufreq.root()});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.exit == 0);
  CHECK(slow.cpufreq.range(0) == as_found);
  CHECK_FALSE(std::filesystem::exists(slow.saved));
}

TEST_CASE("run refuses a plan whose power states it cannot set, or runs it degraded", "[cli]") {
  const SlowPlan slow;
  const Ran refused = slow.run_with({"--cpufreq-root", "nowhere"});
  CHECK(refused.exit == 2);
  CHECK_THAT(refused.err, Contains("nowhere has no policy") && Contains("--allow-degraded"));
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  const Ran degraded = slow.run_with({"--cpufreq-root", "nowhere", "--allow-degraded"});
  CHECK(degraded.exit == 0);
  CHECK_THAT(degraded.out, Contains("degraded") && Contains("nowhere has no policy"));
  CHECK(slow.run_with({"--cpufreq-root", "nowhere", "--synthetic"}).exit == 0);
}

TEST_CASE("a run that is asked to end puts back what it found", "[cli]") {
  const SlowPlan slow;
  const Ran ran = slow.end_by(GENERATE("TERM", "INT"));
  CAPTURE(ran.out, ran.err);
  CHECK(ran.exit == 1);
  CHECK(slow.cpufreq.range(0) == as_found);
  CHECK_FALSE(std::filesystem::exists(slow.saved));
}

TEST_CASE("what a killed run left set is put back by --restore, and not before", "[cli]") {
  const SlowPlan slow;
  slow.end_by("KILL");
  REQUIRE(std::filesystem::exists(slow.saved));
  slow.cpufreq.set("policy0/scaling_min_freq", "1200000");  // wherever the kill came
  slow.cpufreq.set("policy0/scaling_max_freq", "1200000");
  const Ran second = slow.run_with({"--cpufreq-root", slow.cpufreq.root()});
  CHECK(second.exit == 2);
  CHECK_THAT(second.err, Contains("expected run --restore, or "));
  CHECK(slow.cpufreq.range(0) == slowest);
  const Ran restored = run_program("run", {"--restore"});
  CHECK(restored.exit == 0);
  CHECK(restored.err == "run: 6 values put back\n");
  CHECK(slow.cpufreq.range(0) == as_found);
  CHECK(slow.cpufreq.range(1) == as_found);
  CHECK(run_program("run", {"--restore"}).err == "run: 0 values put back\n");
}
