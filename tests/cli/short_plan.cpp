#include "tests/cli/short_plan.hpp"

#include <catch2/catch.hpp>

#include "files/text_file.hpp"

namespace stint {

std::string short_plan(const TemporaryFolder& folder, const std::string& seconds) {
  return short_plan_for(folder, seconds, "course", {});
}

std::string short_plan_for(const TemporaryFolder& folder, const std::string& seconds,
                           const std::string& platform, const std::vector<std::string>& options) {
  std::string model = read_text(bundled("models/chain5.json"));
  const std::string from = "\"cpu\": 1.0}";
  REQUIRE(model.find(from) != std::string::npos);
  for (std::size_t at = model.find(from); at != std::string::npos; at = model.find(from)) {
    model.replace(at, from.size(), "\"cpu\": " + seconds + "}");
  }
  const std::string plan = folder.path("plan.json");
  std::vector<std::string> arguments = {"-q", folder.file("model.json", model),
                                        bundled("platforms/" + platform + ".json"), "-o", plan};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Ran ran = run_program("plan", arguments);
  REQUIRE(ran.exit == 0);
  return plan;
}

}  // namespace stint
