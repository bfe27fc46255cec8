// The eleven hard instances that came with MiniMalloc, read where they are: they are not ours.
// STINT_MINIMALLOC is their folder; without it there is nothing to test.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "planner/addresses/fit.hpp"
#include "tests/planner/addresses/packings.hpp"

using namespace stint;

namespace {

constexpr std::int64_t capacity = 1048576;

// Lines of id, begin, end, bytes below a heading.
std::vector<Item> read_items(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<Item> items;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string id;
    char comma = 0;
    Item item;
    std::getline(fields, id, ',');
    fields >> item.begin >> comma >> item.end >> comma >> item.bytes;
    items.push_back(item);
  }
  return items;
}

}  // namespace

TEST_CASE("all hard instances of MiniMalloc fit by our own search", "[fit]") {
  const std::string name = GENERATE("A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K");
  CAPTURE(name);
  const auto path = std::filesystem::path(STINT_MINIMALLOC) / (name + ".1048576.csv");
  if (!std::filesystem::exists(path)) {
    WARN("skipped: no " << path.filename().string() << " in the folder STINT_MINIMALLOC");
    return;
  }
  const auto items = read_items(path);
  REQUIRE(items.size() > 100);
  FitOptions options;
  options.use_solver = false;
  const Fit found = fit(items, capacity, options);
  REQUIRE(found.status == FitStatus::fits);
  check_packing(items, found.offsets, capacity);
}
