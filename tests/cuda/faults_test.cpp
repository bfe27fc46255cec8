// What goes wrong on GPUs ends in one line.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/text_file.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

std::string short_plan(const TemporaryFolder& folder) {
  return planned(folder, bundled("models/lenet5.json"), "tests/cuda/cpu_gpu.json",
                 {"--batch", "4", "--limit", "1"});
}

bool is_one_line(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') == 1;
}

}  // namespace

TEST_CASE("without a driver a plan for a GPU is refused in one line that says what was found",
          "[cuda]") {
  const TemporaryFolder folder;
  const Ran ran = run_on_host_libraries({{"NO_DEVICE", "1"}}, {short_plan(folder)});
  CHECK(ran.exit == 2);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find("error 35") != std::string::npos);
}

TEST_CASE("with NVIDIA's own libraries and no GPU a plan for one is refused in one line",
          "[cuda]") {
  if (std::filesystem::exists("/dev/nvidiactl")) {
    WARN("skipped: there is a driver");
    return;
  }
  const TemporaryFolder folder;
  const Ran ran = run_program("run", {short_plan(folder)});
  CAPTURE(ran.err);
  CHECK(ran.exit == 2);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find("expected a GPU of NVIDIA with its driver") != std::string::npos);
}

TEST_CASE("a plan that needs more memory than a GPU has free is refused in one line", "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule =
      planned(folder, bundled("models/lenet5.json"), "tests/cuda/gpu_only.json",
              {"--batch", "256", "--limit", "1"});
  const Ran ran = run_on_host_libraries({{"MEMORY_MIB", "40"}}, {schedule});
  CHECK(ran.exit == 2);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find("/arenas/n0/hbm") != std::string::npos);
}

TEST_CASE("a call of a GPU that fails ends a run in one line that names it", "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule = short_plan(folder);
  const auto [fault, call] =
      GENERATE(table<std::string, std::string>({{"cudaMalloc:1:2", "cudaMalloc"},
                                                {"cudaMalloc:2:2", "cudaMalloc"},
                                                {"cudaLaunchKernel:5:701", "launch"},
                                                {"cudaMemcpyAsync:3:1", "cudaMemcpyAsync"},
                                                {"cudaEventRecord:2:2", "cudaEventRecord"}}));
  const Ran ran = run_on_host_libraries({{"FAIL", fault}}, {schedule, "--steps", "2"});
  CAPTURE(fault, ran.err);
  CHECK(ran.exit == 1);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find(call) != std::string::npos);
  CHECK(ran.err.find("lost") == std::string::npos);
  if (call == "launch") CHECK(ran.err.find("run: step 0, action ") == 0);  // with its task
}

// Every call of every thread fails from then on, so that any of them may be the first to tell.
TEST_CASE("a GPU that is lost ends a run in one line that says so", "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule = short_plan(folder);
  const auto [fault, error] =
      GENERATE(table<std::string, std::string>({{"cudaLaunchKernel:5:719", "error 719"},
                                                {"cudaMemcpyAsync:3:214", "error 214"},
                                                {"cudaEventRecord:2:719", "error 719"}}));
  const Ran ran = run_on_host_libraries({{"FAIL", fault}}, {schedule, "--steps", "2"});
  CAPTURE(fault, ran.err);
  CHECK(ran.exit == 1);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find(error) != std::string::npos);
  CHECK(ran.err.find("the GPU was lost in this call or an earlier one") != std::string::npos);
}

TEST_CASE("copies that GPUs do not make are refused in one line", "[cuda]") {
  const TemporaryFolder folder;
  auto platform = nlohmann::json::parse(read_text(bundled("tests/cuda/gpu_only.json")));
  auto& node = platform["nodes"][0];
  std::string named;
  SECTION("between a disk and a GPU") {
    node["memories"][0] = {{"name", "ram"}, {"bytes", 1 << 30}, {"kind", "storage"}};
    named = "storage";
  }
  SECTION("by a worker that they hold up") {
    for (auto& link : node["links"]) link["blocking"] = true;
    named = "blocking";
  }
  const std::string schedule = folder.path("schedule.json");
  const Ran plan = run_program(
      "plan", {bundled("models/lenet5.json"), folder.file("platform.json", platform.dump()),
               "--batch", "32", "--memory", "95%", "--limit", "1", "-o", schedule, "-q"});
  INFO(plan.err);
  REQUIRE(plan.exit == 0);
  REQUIRE(read_text(schedule).find("\"copy\"") != std::string::npos);
  const Ran ran = run_on_host_libraries({}, {schedule, "--steps", "1"});
  CAPTURE(ran.err);
  CHECK(ran.exit == 2);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find(named) != std::string::npos);
}
