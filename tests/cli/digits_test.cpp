// A network that learns from real data, by the commands that a user types.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

double number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  REQUIRE(at != std::string::npos);
  return std::strtod(text.c_str() + at + key.size(), nullptr);
}

}  // namespace

TEST_CASE("LeNet-5 reads more than 95 % of the handwritten digits that it has not seen", "[cli]") {
  const std::string digits = STINT_DIGITS;
  if (digits.empty()) {
    WARN("skipped: the digits of the scikit-learn wheel could not be downloaded");
    return;
  }
  const TemporaryFolder folder;
  const std::string plan = folder.path("lenet5.json");
  REQUIRE(run_program("plan",
                      {"-q", bundled("models/lenet5.json"), "here", "--batch", "32", "-o", plan})
              .exit == 0);
  const Ran ran = run_program("run", {plan, "--data", "idx:" + digits, "--steps", "500", "--warmup",
                                      "0", "--eval", "11", "--json"});
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  CHECK(number_after(ran.out, "\"accuracy\":") > 0.95);
}
