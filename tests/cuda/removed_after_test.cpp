// Races: what a plan orders by `after` is what keeps streams apart, so without it the race detector
// of the host implementation finds two of them at the same bytes. It takes all threads of the host
// for one: where they happen to meet, a run may pass, so several are made.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

Ran run_without_after(const std::string& schedule, const std::string& action,
                      const std::string& mode) {
  const std::string build = STINT_BINARY_DIR;
  return run_installed("env", {"LD_LIBRARY_PATH=" + build + "/tests/cuda_host/lib:" + build,
                               "STINT_CUDA_HOST_MODE=" + mode, build + "/tests/cuda/unjudged_run",
                               schedule, action});
}

// Copies to the host that wait for what they copy: a later action of the GPU waits for them in
// turn, so that nothing can hide that they began too early.
std::vector<std::string> waiting_copies(const std::string& schedule) {
  std::ifstream file(schedule);
  const nlohmann::json json = nlohmann::json::parse(file);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < json.at("actions").size(); ++i) {
    const auto& action = json["actions"][i];
    if (action.at("worker") == "n0/ram>n0/hbm" && !action.at("after").empty())
      found.push_back(std::to_string(i));
  }
  return found;
}

constexpr int most_runs = 40;

// The first run that fails, or the last one.
Ran failing_run_without_after(const std::string& schedule, const std::string& action,
                              const std::string& mode) {
  Ran ran = run_without_after(schedule, action, mode);
  for (int run = 1; run < most_runs && ran.exit == 0; ++run)
    ran = run_without_after(schedule, action, mode);
  return ran;
}

}  // namespace

TEST_CASE("an `after` that is taken away behind the judge's back is found as a race", "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule =
      planned(folder, bundled("models/lenet5.json"), "tests/cuda/gpu_only.json",
              {"--batch", "32", "--memory", "90%", "--limit", "1"});
  const std::string mode = GENERATE("eager", "lazy", "random");
  CAPTURE(mode);
  const Ran whole = run_without_after(schedule, "none", mode);
  INFO(whole.err);
  REQUIRE(whole.exit == 0);
  const auto copies = waiting_copies(schedule);
  REQUIRE_FALSE(copies.empty());
  for (const std::string& copy : copies) {
    const Ran broken = failing_run_without_after(schedule, copy, mode);
    CAPTURE(copy, broken.err);
    CHECK(broken.out.find("invalid") != std::string::npos);
    CHECK(broken.exit != 0);
    CHECK(broken.err.find("race") != std::string::npos);
  }
}
