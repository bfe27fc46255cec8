// Races: what a plan orders by `after` is what keeps streams and threads apart. The race detector
// of the host implementation knows of every wait that a plan makes certain and of no other, so one
// run finds what is missing: for every single `after` of a plan, it must find a race exactly if the
// judge calls the plan without it invalid.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "files/text_file.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

// "gpu", "cpu", "in" (a copy to the GPU) or "out".
std::string place_of(const std::string& worker) {
  if (worker.find('>') == std::string::npos)
    return worker.find("gpu") != worker.npos ? "gpu" : "cpu";
  return worker.find(">n0/hbm") != std::string::npos ? "in" : "out";
}

std::vector<int> buffers_of(const nlohmann::json& action) {
  std::vector<int> all = action.value("reads", std::vector<int>{});
  const auto writes = action.value("writes", std::vector<int>{});
  all.insert(all.end(), writes.begin(), writes.end());
  if (action.contains("workspace") && !action["workspace"].is_null())
    all.push_back(action["workspace"]);
  return all;
}

// Of a double buffer both halves count.
std::vector<std::int64_t> offsets_of(const nlohmann::json& buffer) {
  if (buffer.contains("offsets")) return buffer["offsets"];
  return {buffer.at("offset").get<std::int64_t>()};
}

bool overlap(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.at("memory") != b.at("memory")) return false;
  for (const std::int64_t first : offsets_of(a)) {
    for (const std::int64_t other : offsets_of(b)) {
      if (first < other + b.at("bytes").get<std::int64_t>() &&
          other < first + a.at("bytes").get<std::int64_t>())
        return true;
    }
  }
  return false;
}

// They share addresses, but only with workspace: plans reserve what any kernel of the task needs,
// and a GPU's may touch none of it, so there need not be a race.
bool meet_in_workspace_only(const nlohmann::json& schedule, int a, int b) {
  const auto& buffers = schedule.at("buffers");
  int met = 0;
  for (const int one : buffers_of(schedule.at("actions")[a])) {
    for (const int other : buffers_of(schedule.at("actions")[b])) {
      if (!overlap(buffers[one], buffers[other])) continue;
      if (!buffers[one].at("tensor").is_null() && !buffers[other].at("tensor").is_null())
        return false;
      ++met;
    }
  }
  return met > 0;
}

// Every `after` of the plan as "ACTION:EARLIER", with the two places.
std::map<std::string, std::string> all_afters(const std::string& file_name) {
  std::ifstream file(file_name);
  const nlohmann::json schedule = nlohmann::json::parse(file);
  const auto& actions = schedule.at("actions");
  std::map<std::string, std::string> found;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    for (const int earlier : actions[i].value("after", std::vector<int>{}))
      if (!meet_in_workspace_only(schedule, static_cast<int>(i), earlier))
        found[std::to_string(i) + ":" + std::to_string(earlier)] =
            place_of(actions[earlier].at("worker")) + " to " + place_of(actions[i].at("worker"));
  }
  return found;
}

struct Verdict {
  bool is_valid = false;
  bool is_clean = false;
};
std::map<std::string, Verdict> verdicts(const std::string& schedule,
                                        const std::map<std::string, std::string>& afters,
                                        const std::string& mode) {
  const std::string build = STINT_BINARY_DIR;
  std::vector<std::string> words = {"LD_LIBRARY_PATH=" + build + "/tests/cuda_host/lib:" + build,
                                    "STINT_CUDA_HOST_MODE=" + mode,
                                    build + "/tests/cuda/unjudged_run", schedule};
  for (const auto& [pair, kind] : afters) words.push_back(pair);
  std::istringstream lines(run_installed("env", words).out);
  std::map<std::string, Verdict> found;
  int exit = 0;
  for (std::string pair, judged; lines >> pair >> judged >> exit;)
    found[pair] = {judged == "valid", exit == 0};
  return found;
}

void require_races(const std::string& schedule, const std::string& mode,
                   std::set<std::string> expected_kinds) {
  const auto afters = all_afters(schedule);
  const auto found = verdicts(schedule, afters, mode);
  REQUIRE(found.size() == afters.size() + 1);
  REQUIRE(found.at("whole").is_valid);
  REQUIRE(found.at("whole").is_clean);
  for (const auto& [pair, kind] : afters) {
    CAPTURE(mode, pair, kind);
    CHECK(found.at(pair).is_clean == found.at(pair).is_valid);
    if (!found.at(pair).is_valid) expected_kinds.erase(kind);
  }
  CHECK(expected_kinds.empty());
}

}  // namespace

TEST_CASE("an `after` that is taken away behind the judge's back is found as a race", "[cuda]") {
  const TemporaryFolder folder;
  SECTION("between a core, the two streams of a GPU, and copies") {
    auto platform = nlohmann::json::parse(read_text(bundled("tests/cuda/cpu_gpu.json")));
    platform["nodes"][0]["devices"][1]["workers"] = 2;
    folder.file("platform.json", platform.dump());
    const std::string schedule = folder.path("two_streams.json");
    REQUIRE(run_program("plan", {bundled("models/lenet5.json"), folder.path("platform.json"),
                                 "--batch", "4", "--limit", "1", "-o", schedule, "-q"})
                .exit == 0);
    require_races(schedule, "eager",
                  {"gpu to gpu", "gpu to out", "out to cpu", "cpu to in", "in to gpu"});
  }
  SECTION("between a GPU and its copies, in whatever order streams run") {
    const std::string mode = GENERATE("eager", "lazy", "random");
    require_races(planned(folder, bundled("models/lenet5.json"), "tests/cuda/gpu_only.json",
                          {"--batch", "32", "--memory", "90%", "--limit", "1"}),
                  mode, {"out to gpu", "gpu to in", "in to gpu"});
  }
}
