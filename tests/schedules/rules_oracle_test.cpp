// Thousands of plans, each broken at random in one place: the judge and a slow second opinion,
// which looks at every byte and every pair of actions, agree on which of them are still right.
#include <algorithm>
#include <catch2/catch.hpp>

#include "schedules/validate.hpp"
#include "tests/support/byte_oracle.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_breaker.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace stint;

namespace {

// Rules that speak of what bytes hold.
bool judged_wrong(const std::vector<int>& rules) {
  return std::any_of(rules.begin(), rules.end(), [](int rule) {
    return (rule >= 8 && rule <= 11) || (rule >= 13 && rule <= 15);
  });
}

// Whether a tensor is twice at one place, at different times: bytes do not tell which was meant.
bool has_twins(const Schedule& schedule) {
  const auto& buffers = schedule.buffers;
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (buffers[a].tensor != no_tensor && buffers[a].tensor == buffers[b].tensor &&
          buffers[a].memory == buffers[b].memory && buffers[a].offset == buffers[b].offset)
        return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("the judge agrees with a second opinion on every byte", "[rules]") {
  int compared = 0;
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Schedule good = random_plan(seed);
    CAPTURE(seed);
    REQUIRE(fault_in_bytes(good).empty());
    for (std::uint64_t variant = 0; variant < 20; ++variant) {
      Schedule broken = good;
      const std::string what = break_schedule(broken, seed * 1000 + variant);
      const std::vector<Violation> violations = validate(broken);
      if (!can_be_simulated(violations)) continue;
      if (what == "read another instance" && has_twins(broken)) continue;
      // A buffer that nobody uses any more is a fault of its own, which bytes do not show.
      const bool never_written =
          std::any_of(violations.begin(), violations.end(), [](const Violation& violation) {
            return violation.what.find("is never written") != std::string::npos;
          });
      const bool by_judge = judged_wrong(broken_rules(broken));
      const std::string by_bytes = fault_in_bytes(broken);
      for (const Violation& violation : violations) UNSCOPED_INFO(to_string(violation));
      CAPTURE(variant, what, by_bytes);
      if (!never_written) REQUIRE(by_judge == !by_bytes.empty());
      ++compared;
      if (by_judge) ++wrong;
    }
  }
  // The comparison means something only if there was enough of both.
  CHECK(compared > 3000);
  CHECK(wrong > 1000);
  CHECK(compared - wrong > 500);
}
