#include "tests/cuda/gpu_runs.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/text_file.hpp"

namespace stint {
namespace {

const std::string build = STINT_BINARY_DIR;

void make_smaller(std::int64_t divisor, const std::map<std::int64_t, std::int64_t>& others,
                  nlohmann::json& value) {
  constexpr std::int64_t least = 16;
  if (value.is_structured()) {
    for (auto& part : value) make_smaller(divisor, others, part);
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    const auto other = others.find(number);
    if (other != others.end())
      value = other->second;
    else if (number >= least)
      value = number / divisor;
  }
}

}  // namespace

Ran run_on_host_libraries(const HostSettings& settings, const std::vector<std::string>& arguments) {
  return program_on_host_libraries("run", settings, arguments);
}

Ran program_on_host_libraries(const std::string& program, const HostSettings& settings,
                              const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment,
                              const std::string& folders) {
  std::vector<std::string> words = {"LD_LIBRARY_PATH=" + build + "/tests/cuda_host/lib:" + folders};
  words.insert(words.end(), environment.begin(), environment.end());
  for (const auto& [name, value] : settings)
    words.push_back("STINT_CUDA_HOST_" + name + "=" + value);
  words.push_back(build + "/" + program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_installed("env", words);
}

std::string planned(const TemporaryFolder& folder, const std::string& model,
                    const std::string& platform, const std::vector<std::string>& options) {
  const std::string file = folder.path("schedule.json");
  std::vector<std::string> words = {model, bundled(platform), "-o", file, "-q"};
  words.insert(words.end(), options.begin(), options.end());
  const Ran plan = run_program("plan", words);
  INFO(plan.err);
  REQUIRE(plan.exit == 0);
  return file;
}

std::string smaller_network(const TemporaryFolder& folder, const std::string& name,
                            std::int64_t divisor,
                            const std::map<std::int64_t, std::int64_t>& others) {
  auto network = nlohmann::json::parse(read_text(bundled("models/" + name + ".json")));
  make_smaller(divisor, others, network);
  return folder.file(name + ".json", network.dump());
}

TrainedResult trained_result(const std::string& report_file) {
  std::ifstream file(report_file);
  const nlohmann::json report = nlohmann::json::parse(file);
  return {report.at("loss").get<std::vector<double>>(), report.at("state_sha256")};
}

}  // namespace stint
