// What a step asks of CUDA's libraries, counted: work, and waits where the plan has them.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "files/text_file.hpp"
#include "tests/cuda/gpu_runs.hpp"

using namespace stint;

namespace {

using Calls = std::map<std::string, std::int64_t>;

Calls calls_of_run(const std::string& schedule, const TemporaryFolder& folder,
                   const std::string& steps) {
  const std::string trace = folder.path("trace");
  std::ofstream(trace).close();
  const Ran ran = run_on_host_libraries({{"TRACE", trace}},
                                        {schedule, "--steps", steps, "--warmup", "0", "-q"});
  INFO(ran.err);
  REQUIRE(ran.exit == 0);
  std::ifstream lines(trace);
  Calls calls;
  for (std::string line; std::getline(lines, line);) ++calls[line];
  return calls;
}

// Those of one step, and of what is brought in before it and taken after it.
Calls calls_of_step(const std::string& schedule, const TemporaryFolder& folder) {
  const Calls two = calls_of_run(schedule, folder, "2");
  Calls more = calls_of_run(schedule, folder, "3");
  for (const auto& [name, count] : two) more[name] -= count;
  std::erase_if(more, [](const auto& call) { return call.second == 0; });
  return more;
}

bool is_on_gpu(const nlohmann::json& action) {
  const std::string worker = action.at("worker");
  return worker.find("gpu") != std::string::npos || worker.find('>') != std::string::npos;
}

struct PlannedWaits {
  std::int64_t streams = 0;  // whose last action waits until all of theirs has ended
  std::int64_t of_host = 0;  // actions of the host for actions of a GPU
  std::int64_t copies = 0;   // over links, and of what is loaded
};
PlannedWaits waits_of(const std::string& schedule) {
  const nlohmann::json actions = nlohmann::json::parse(read_text(schedule)).at("actions");
  std::set<std::string> streams;
  PlannedWaits waits;
  for (const auto& action : actions) {
    if (is_on_gpu(action)) {
      streams.insert(action.at("worker"));
      if (action.at("do") == "copy") ++waits.copies;
      if (action.at("do") == "load")
        waits.copies += static_cast<std::int64_t>(action.at("writes").size());
      continue;
    }
    for (const std::size_t earlier : action.value("after", std::vector<std::size_t>{}))
      if (is_on_gpu(actions[earlier])) ++waits.of_host;
  }
  waits.streams = static_cast<std::int64_t>(streams.size());
  return waits;
}

}  // namespace

TEST_CASE("a step allocates nothing on a GPU, and waits for it only where the plan says so",
          "[cuda]") {
  const TemporaryFolder folder;
  const auto [platform, memory] = GENERATE(table<std::string, std::string>(
      {{"tests/cuda/cpu_gpu.json", "100%"}, {"tests/cuda/gpu_only.json", "90%"}}));
  const std::string schedule = planned(folder, bundled("models/lenet5.json"), platform,
                                       {"--batch", "32", "--memory", memory, "--limit", "1"});
  const PlannedWaits planned_waits = waits_of(schedule);
  Calls calls = calls_of_step(schedule, folder);
  CAPTURE(platform, calls);
  const std::int64_t transfers = calls["cudaMemcpyAsync"] - planned_waits.copies;
  CHECK(transfers >= 0);
  CHECK(transfers <= 4);  // inputs and results, between steps
  CHECK(calls["cudaStreamSynchronize"] == planned_waits.streams + transfers);
  CHECK(calls["cudaEventSynchronize"] == planned_waits.of_host + 1);  // where its clock stands
  if (platform == "tests/cuda/cpu_gpu.json") CHECK(planned_waits.of_host > 0);
  if (platform == "tests/cuda/gpu_only.json") CHECK(planned_waits.copies > 0);
  const std::set<std::string> work = {"cudaLaunchKernel",
                                      "cudaMemcpyAsync",
                                      "cudaEventRecord",
                                      "cudaStreamWaitEvent",
                                      "cudaEventSynchronize",
                                      "cudaStreamSynchronize",
                                      "cudaEventElapsedTime",
                                      "cudaSetDevice",
                                      "cublasSgemm_v2",
                                      "cudnnConvolutionForward",
                                      "cudnnConvolutionBackwardData",
                                      "cudnnConvolutionBackwardFilter"};
  for (const auto& [name, count] : calls) {
    CAPTURE(name, count);
    CHECK(work.contains(name));
  }
}
