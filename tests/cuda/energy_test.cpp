// Energy and power limits of GPUs through NVML, in a run on a core and a GPU.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/text_file.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

// A folder of one GPU as NVML would show it, with a library of NVIDIA's name.
void make_nvml(const TemporaryFolder& folder) {
  const std::string library = std::string(STINT_BINARY_DIR) + "/tests/libfake_nvml.so";
  std::filesystem::create_symlink(library, folder.path("libnvidia-ml.so.1"));
  const std::map<std::string, std::string> files = {{"gpus", "1"},
                                                    {"power-0", "60000"},
                                                    {"limit-0", "250000"},
                                                    {"clock-0", "1380"},
                                                    {"least-limit-0", "100000"},
                                                    {"greatest-limit-0", "300000"},
                                                    {"throttle-0", "0"},
                                                    {"history", ""}};
  for (const auto& [name, text] : files) folder.file(name, text);
}

std::string with_power_states(const TemporaryFolder& folder) {
  auto platform = nlohmann::json::parse(read_text(bundled("tests/cuda/cpu_gpu.json")));
  auto& gpu = platform["nodes"][0]["devices"][1];
  gpu["settable"] = "run";
  gpu["state_scope"] = "device";
  gpu["states"] = {{{"name", "250W"}, {"speed", 1.0}, {"busy_watts", 200}},
                   {{"name", "150W"}, {"speed", 0.95}, {"busy_watts", 80}}};
  return folder.file("platform.json", platform.dump());
}

}  // namespace

TEST_CASE("a GPU's energy is measured by NVML, and its power limit is set and put back", "[cuda]") {
  const TemporaryFolder folder;
  make_nvml(folder);
  const std::string schedule = folder.path("schedule.json");
  REQUIRE(run_program("plan", {bundled("models/lenet5.json"), with_power_states(folder), "--batch",
                               "4", "--limit", "1", "-o", schedule, "-q"})
              .exit == 0);
  const std::string report = folder.path("report.json");
  const Ran ran = program_on_host_libraries(
      "run", {},
      {schedule, "--steps", "3", "-o", report, "--powercap-root", "none", "--perf-root", "none"},
      {"STINT_FAKE_NVML=" + folder.path(""), "XDG_STATE_HOME=" + folder.path("")}, folder.path(""));
  INFO(ran.err);
  REQUIRE(ran.exit == 0);
  const auto found = nlohmann::json::parse(read_text(report));
  CHECK(found["energy"]["basis"] == "measured:nvml");
  CHECK(found["energy"]["domains"] == nlohmann::json{"gpu-0"});
  CHECK(found["energy"]["measured"]["domains"][0]["joules"] > 0);
  CHECK(found["bills"].size() == 2);
  const std::string history = read_text(folder.path("history"));
  CHECK(history.starts_with("limit 150000\n"));
  CHECK(history.ends_with("limit 150000\nlimit 250000\n"));
  CHECK(read_text(folder.path("limit-0")) == "250000");
}
