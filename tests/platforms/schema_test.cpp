// The schema and the reader agree on the format.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "platforms/here.hpp"
#include "tests/platforms/two_nodes.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/random_platform.hpp"

using namespace stint;

namespace {

const std::filesystem::path folder = std::filesystem::path(STINT_SOURCE_DIR) / "platforms";

std::string fault(const std::string& text) {
  return schema_fault((folder / "stint-platform.schema.json").string(), text);
}

}  // namespace

TEST_CASE("bundled machines conform to the schema of platforms", "[schema]") {
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto& path = entry.path();
    if (path.extension() != ".json" || path.stem().extension() == ".schema") continue;
    CAPTURE(path);
    CHECK(fault(read_text(path.string())).empty());
    ++machines;
  }
  CHECK(machines >= 8);
}

TEST_CASE("whatever the writer writes conforms to the schema of platforms", "[schema]") {
  CHECK(fault(platform_text(discover_platform())).empty());
  CHECK(fault(two_nodes()).empty());
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    CHECK(fault(platform_text(random_platform(seed))).empty());
  }
}

TEST_CASE("schema and reader refuse the same faults of form", "[schema]") {
  const auto [from, to] = GENERATE(table<std::string, std::string>({
      {"\"version\": 1", "\"version\": 2"},
      {"stint-platform", "stint-tasks"},
      {"\"description\"", "\"descriptoin\""},
      {"\"two nodes\"", "null"},
      {"\"n1\"", "\"n/1\""},
      {"77", "-1"},
      {"77", "1.5"},
      {"\"kind\": \"storage\"", "\"kind\": \"tape\""},
      {"\"alignment_bytes\": 4096", "\"alignment_bytes\": 0"},
      {"\"value\": 20.5", "\"value\": -1"},
      {"\"basis\": \"measured\"", "\"basis\": \"guessed\""},
      {"\"workers\": 3", "\"workers\": 0"},
      {"\"workers\": 3, ", ""},
      {"\"idle_watts\": 8", "\"idle_watts\": \"8\""},
      {"\"idle_watts\": 8", "\"idle_watts\": 1e31"},
      {"\"settable\": \"action\"", "\"settable\": \"always\""},
      {"[{\"name\": \"only\", \"speed\": 1, \"busy_watts\": 1}]", "[]"},
      {"\"speed\": 0.5", "\"speed\": 0"},
      {"{\"gemm\": 4}", "{\"matmul\": 4}"},
      {"\"level\": 1", "\"level\": 0"},
      {"\"1310720\"", "\"01\""},
      {", \"seconds\": 0.5", ""},
      {"2e9", "0"},
      {"\"to\": \"n1/ram\"", "\"to\": \"ram\""},
      {"\"blocking\": true", "\"blocking\": 1"},
  }));
  CAPTURE(from, to);
  const std::string text = two_nodes(from, to);
  CHECK_THROWS_AS(parse_platform(text, "p.json"), InputError);
  CHECK_FALSE(fault(text).empty());
}
