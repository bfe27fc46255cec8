#include "platforms/platform.hpp"

#include <catch2/catch.hpp>

#include "tests/support/random_platform.hpp"

using namespace stint;

TEST_CASE("a platform read back from its text is the same platform", "[platform]") {
  const auto seed = GENERATE(range(0, 300));
  const Platform platform = random_platform(static_cast<std::uint64_t>(seed));
  CAPTURE(seed, platform_text(platform));
  REQUIRE_NOTHROW(check(platform));
  const Platform again = parse_platform(platform_text(platform), "p.json");
  REQUIRE(again == platform);
  REQUIRE(platform_text(again) == platform_text(platform));
}
