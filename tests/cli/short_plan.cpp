#include "tests/cli/short_plan.hpp"

#include <catch2/catch.hpp>

#include "files/text_file.hpp"

namespace stint {

std::string short_plan(const TemporaryFolder& folder, const std::string& seconds) {
  std::string model = read_text(bundled("models/chain5.json"));
  const std::string from = "\"cpu\": 1.0}";
  REQUIRE(model.find(from) != std::string::npos);
  for (std::size_t at = model.find(from); at != std::string::npos; at = model.find(from)) {
    model.replace(at, from.size(), "\"cpu\": " + seconds + "}");
  }
  const std::string plan = folder.path("plan.json");
  const Ran ran = run_program("plan", {"-q", folder.file("model.json", model),
                                       bundled("platforms/course.json"), "-o", plan});
  REQUIRE(ran.exit == 0);
  return plan;
}

}  // namespace stint
