// Times of actions on GPUs are those of the GPU's clock, not of putting work into a stream.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "files/text_file.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

TEST_CASE("a GPU's actions take as long as the GPU takes", "[cuda]") {
  const TemporaryFolder folder;
  const std::string schedule =
      planned(folder, bundled("models/lenet5.json"), "tests/cuda/gpu_only.json",
              {"--batch", "32", "--memory", "90%", "--limit", "1"});
  const std::string report = folder.path("report.json");
  // Lazily: enqueueing takes next to nothing, and everything runs when the host waits.
  const Ran ran =
      run_on_host_libraries({{"MODE", "lazy"}, {"OPERATION_MICROSECONDS", "2000"}},
                            {schedule, "--steps", "1", "--warmup", "0", "-o", report, "-q"});
  INFO(ran.err);
  REQUIRE(ran.exit == 0);
  const auto found = nlohmann::json::parse(read_text(report));
  CHECK(found.at("replayed_exactly") == true);
  double sum = 0;
  for (const auto& action : found.at("actions")) {
    CAPTURE(action.dump());
    CHECK(action.at("measured_seconds") >= 0.0019);
    sum += action.at("measured_seconds").get<double>();
  }
  double billed = 0;
  for (const auto& line : found.at("bills")[0].at("lines")) {
    const std::string name = line.at("name");
    const bool is_class = name == "forward" || name == "loss" || name == "backward" ||
                          name == "update" || name == "other" || name == "recompute" ||
                          name == "copy" || name == "load";
    if (is_class) billed += line.at("measured").at("seconds").get<double>();
  }
  CHECK(billed == Approx(sum).epsilon(1e-6));
}
