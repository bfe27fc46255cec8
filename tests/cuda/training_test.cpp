// Training on GPUs, by the host implementation of CUDA's libraries.
#include <catch2/catch.hpp>

#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

TrainedResult train(const std::string& schedule, const std::string& report,
                    const HostSettings& settings) {
  const Ran ran = run_on_host_libraries(settings, {schedule, "--steps", "2", "-o", report, "-q"});
  INFO(ran.err);
  REQUIRE(ran.exit == 0);
  return trained_result(report);
}

std::vector<double> losses_on_cpu(const TemporaryFolder& folder, const std::string& model,
                                  const std::string& batch) {
  const std::string schedule =
      planned(folder, model, "platforms/desk.json", {"--batch", batch, "--limit", "1"});
  const std::string report = folder.path("cpu.json");
  REQUIRE(run_program("run", {schedule, "--steps", "2", "-o", report, "-q"}).exit == 0);
  return trained_result(report).losses;
}

void require_close(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-4));
}

}  // namespace

TEST_CASE("a network trains on a core and a GPU as on a core alone, whatever order streams run in",
          "[cuda]") {
  const TemporaryFolder folder;
  const std::string model = bundled("models/lenet5.json");
  const std::vector<double> expected = losses_on_cpu(folder, model, "4");
  const std::string schedule =
      planned(folder, model, "tests/cuda/cpu_gpu.json", {"--batch", "4", "--limit", "1"});
  const TrainedResult eager = train(schedule, folder.path("r.json"), {{"MODE", "eager"}});
  require_close(eager.losses, expected);
  for (const std::string seed : {"1", "2", "3"}) {
    const TrainedResult random =
        train(schedule, folder.path("r.json"), {{"MODE", "random"}, {"SEED", seed}});
    CHECK(random.state_sha256 == eager.state_sha256);
  }
  const TrainedResult lazy = train(schedule, folder.path("r.json"), {{"MODE", "lazy"}});
  CHECK(lazy.state_sha256 == eager.state_sha256);
}

TEST_CASE("attention, embeddings and Adam on a GPU are those of a CPU", "[cuda]") {
  const TemporaryFolder folder;
  const std::string model = bundled("models/gpt_tiny.json");
  const std::vector<double> expected = losses_on_cpu(folder, model, "1");
  const std::string schedule =
      planned(folder, model, "tests/cuda/gpu_only.json", {"--batch", "1", "--limit", "1"});
  require_close(train(schedule, folder.path("r.json"), {{"MODE", "lazy"}}).losses, expected);
}

TEST_CASE("bundled networks train on a GPU as on a CPU", "[cuda]") {
  struct Smaller {
    std::string name;
    std::int64_t divisor;
    std::map<std::int64_t, std::int64_t> others;
  };
  const Smaller network = GENERATE(
      Smaller{"resnet18", 4, {{224, 32}, {1000, 10}}}, Smaller{"vgg11", 8, {{224, 32}, {1000, 10}}},
      Smaller{"mobilenet_v2", 4, {{224, 64}, {1000, 10}}},
      Smaller{"densenet121", 4, {{224, 32}, {1000, 10}, {6, 2}, {12, 2}, {24, 2}, {16, 2}}},
      Smaller{"inception", 8, {{224, 32}, {1000, 10}}}, Smaller{"unet", 16, {}},
      Smaller{"bert_base", 24, {{12, 2}, {512, 8}}}, Smaller{"dahl_cnn_rgb", 1, {}},
      Smaller{"mlp", 4, {}});
  CAPTURE(network.name);
  const TemporaryFolder folder;
  const std::string model = smaller_network(folder, network.name, network.divisor, network.others);
  const std::vector<double> expected = losses_on_cpu(folder, model, "4");
  const std::string schedule =
      planned(folder, model, "tests/cuda/gpu_only.json", {"--batch", "4", "--limit", "0.1"});
  const TrainedResult result = train(schedule, folder.path("r.json"), {{"MODE", "lazy"}});
  CHECK(result.losses[0] == Approx(expected[0]).epsilon(1e-4));
  CHECK(result.losses[1] == Approx(expected[1]).epsilon(1e-2));
}

TEST_CASE("a pipeline over two GPUs gives the bits of one GPU", "[cuda]") {
  const TemporaryFolder folder;
  const std::string model = bundled("models/lenet5.json");
  const std::vector<std::string> options = {"--batch", "16",      "--microbatches",
                                            "4",       "--limit", "0.2"};
  const std::string alone =
      train(planned(folder, model, "tests/cuda/gpu_only.json", options), folder.path("r.json"), {})
          .state_sha256;
  std::vector<std::string> staged = options;
  staged.insert(staged.end(), {"--pipeline", "1f1b"});
  const std::string schedule = planned(folder, model, "tests/cuda/two_gpus.json", staged);
  for (const std::string mode : {"eager", "random"}) {
    CAPTURE(mode);
    CHECK(train(schedule, folder.path("r.json"), {{"DEVICES", "2"}, {"MODE", mode}}).state_sha256 ==
          alone);
  }
  const Ran missing = run_on_host_libraries({}, {schedule, "--steps", "1"});
  CHECK(missing.exit == 2);
  CHECK(missing.err.find("this machine has 1") != std::string::npos);
}
