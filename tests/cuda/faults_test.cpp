// What goes wrong on GPUs ends in one line.
#include <algorithm>
#include <catch2/catch.hpp>

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

TEST_CASE("a GPU that fails ends a run in one line that names the call", "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule = short_plan(folder);
  const auto [fault, call] =
      GENERATE(table<std::string, std::string>({{"cudaMalloc:1:2", "cudaMalloc"},
                                                {"cudaMalloc:2:2", "cudaMalloc"},
                                                {"cudaLaunchKernel:5:719", "launch"},
                                                {"cudaMemcpyAsync:3:214", "cudaMemcpyAsync"},
                                                {"cudaEventRecord:2:719", "cudaEventRecord"}}));
  const Ran ran = run_on_host_libraries({{"FAIL", fault}}, {schedule, "--steps", "2"});
  CAPTURE(fault, ran.err);
  CHECK(ran.exit == 1);
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find(call) != std::string::npos);
}
