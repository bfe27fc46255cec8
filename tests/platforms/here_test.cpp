#include "platforms/here.hpp"

#include <catch2/catch.hpp>

using namespace stint;

TEST_CASE("this machine is a sound platform that survives its file", "[here]") {
  const Platform here = discover_platform();
  CAPTURE(platform_text(here));
  REQUIRE_NOTHROW(check(here));
  REQUIRE(parse_platform(platform_text(here), "here.json") == here);
  CHECK(here.memories[0].bytes > 0);
}

TEST_CASE("two discoveries of this machine agree", "[here]") {
  REQUIRE(discover_platform() == discover_platform());
}
