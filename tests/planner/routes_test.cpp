#include "planner/routes.hpp"

#include <catch2/catch.hpp>

#include "platforms/names.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

MemoryId memory(const Platform& platform, const std::string& name) {
  return *find_memory(platform, name);
}

std::vector<std::string> names(const Platform& platform, const std::vector<LinkId>& route) {
  std::vector<std::string> list;
  for (const LinkId link : route) list.push_back(link_name(platform, link));
  return list;
}

}  // namespace

TEST_CASE("where there is no direct link, data goes through other memories", "[routes]") {
  const Platform platform = two_gpus();
  Routes routes(platform, 100);
  CHECK(names(platform, routes.route(memory(platform, "n0/hbm0"), memory(platform, "n0/hbm1"))) ==
        std::vector<std::string>{"n0/hbm0>n0/ram", "n0/ram>n0/hbm1"});
}

TEST_CASE("a direct link is left aside if the way round is faster", "[routes]") {
  Platform platform = two_gpus();
  Link slow;
  slow.from = memory(platform, "n0/hbm0");
  slow.to = memory(platform, "n0/hbm1");
  slow.bytes_per_second = 400.0;
  platform.links.push_back(slow);
  CHECK(Routes(platform, 100).route(slow.from, slow.to).size() == 2);
  platform.links.back().bytes_per_second = 600.0;
  CHECK(Routes(platform, 100).route(slow.from, slow.to).size() == 1);
}

TEST_CASE("without a way the route is empty", "[routes]") {
  Platform platform = two_gpus();
  platform.links.erase(platform.links.begin());  // ram to hbm0
  Routes routes(platform, 100);
  CHECK(routes.route(memory(platform, "n0/ram"), memory(platform, "n0/hbm0")).empty());
  CHECK(routes.route(memory(platform, "n0/ram"), memory(platform, "n0/ram")).empty());
}
