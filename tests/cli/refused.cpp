#include "tests/cli/refused.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace stint {

void require_refused(const Ran& ran, const std::string& mention) {
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit == 2);
  REQUIRE(ran.out.empty());
  REQUIRE(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  REQUIRE(ran.err.ends_with("\n"));
  REQUIRE(ran.err.size() < 1000);
  REQUIRE(ran.err.find(mention) != std::string::npos);
}

}  // namespace stint
