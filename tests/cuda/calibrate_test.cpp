// Kernels of GPUs, measured: `calibrate` chooses algorithms, `plan` pins them, `run` keeps to them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "files/text_file.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

nlohmann::json parsed(const std::string& file) { return nlohmann::json::parse(read_text(file)); }

const nlohmann::json& gpu_of(const nlohmann::json& platform) {
  for (const auto& device : platform.at("nodes")[0].at("devices")) {
    if (device.at("kind") == "cuda") return device;
  }
  throw std::runtime_error("no GPU");
}

// The measured GPU alone, with the host's memory behind it. Which algorithm was the fastest is left
// to chance; of one op it is the one that a test may count on, with room to spare.
std::string gpu_alone(const TemporaryFolder& folder, nlohmann::json platform) {
  auto& node = platform["nodes"][0];
  node["devices"] = nlohmann::json::array({gpu_of(platform)});
  for (auto& kernel : node["devices"][0]["kernels"]) {
    if (kernel.at("op") != "conv2d.backward_weights") continue;
    kernel["algorithm"] = "cudnn backward_filter_1";
    kernel["workspace_bytes"] = 1 << 20;
  }
  return folder.file("gpu.json", platform.dump());
}

}  // namespace

TEST_CASE("a GPU's kernels are measured, pinned in the plan, and kept to in the run", "[cuda]") {
  const TemporaryFolder folder;
  const std::string here = folder.path("here.json");
  const std::string model = bundled("models/lenet5.json");
  const Ran calibrated = program_on_host_libraries(
      "calibrate", {}, {"--for", model, "--batch", "4", "--busy", "one", "-o", here, "-q"});
  INFO(calibrated.err);
  REQUIRE(calibrated.exit == 0);
  const auto platform = parsed(here);
  const auto& kernels = gpu_of(platform).at("kernels");
  REQUIRE_FALSE(kernels.empty());
  for (const auto& kernel : kernels) {
    CAPTURE(kernel.dump());
    CHECK(kernel.at("seconds").at("basis") == "measured");
    CHECK_FALSE(kernel.at("algorithm").get<std::string>().empty());
  }
  const std::string schedule = folder.path("plan.json");
  REQUIRE(run_program("plan", {model, gpu_alone(folder, platform), "--batch", "4", "--limit", "1",
                               "-o", schedule, "-q"})
              .exit == 0);
  CHECK(parsed(schedule).at("lowering").at("kernels").size() > 5);
  const Ran ran = run_on_host_libraries({}, {schedule, "--steps", "1", "-q"});
  INFO(ran.err);
  CHECK(ran.exit == 0);

  // A library that needs more than was measured.
  const Ran more = run_on_host_libraries({{"DNN_KIB", "2048"}}, {schedule, "--steps", "1", "-q"});
  CHECK(more.exit == 2);
  CHECK(std::count(more.err.begin(), more.err.end(), '\n') == 1);
  CHECK(more.err.find("calibrate --for") != std::string::npos);
}

TEST_CASE("where nothing was measured, a kernel that the plan's workspace suffices for is found",
          "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule =
      planned(folder, bundled("models/lenet5.json"), "tests/cuda/gpu_only.json",
              {"--batch", "4", "--limit", "1"});
  std::vector<TrainedResult> results;
  for (const std::string kibibytes : {"0", "65536"}) {
    const std::string report = folder.path("report.json");
    const Ran ran = run_on_host_libraries({{"DNN_KIB", kibibytes}},
                                          {schedule, "--steps", "2", "-o", report, "-q"});
    INFO(ran.err);
    REQUIRE(ran.exit == 0);
    results.push_back(trained_result(report));
  }
  for (const std::size_t step : {0, 1})
    CHECK(results[0].losses[step] == Approx(results[1].losses[step]).epsilon(1e-5));
}
