#include "planner/size.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"

using namespace stint;

TEST_CASE("sizes are bytes, or numbers with a decimal or a binary unit", "[size]") {
  CHECK(parse_size("0", "").bytes == 0);
  CHECK(parse_size("4096", "").bytes == 4096);
  CHECK(parse_size("9223372036854775807", "").bytes == INT64_MAX);
  CHECK(parse_size("16B", "").bytes == 16);
  CHECK(parse_size("2GB", "").bytes == 2'000'000'000);
  CHECK(parse_size("3kB", "").bytes == 3000);
  CHECK(parse_size("512MiB", "").bytes == 512 << 20);
  CHECK(parse_size("1.5KiB", "").bytes == 1536);
  CHECK(parse_size("0.0001KiB", "").bytes == 0);
  CHECK(parse_size("8191PiB", "").bytes == 8191 * (std::int64_t{1} << 50));
}

TEST_CASE("a percentage is kept as one", "[size]") {
  CHECK(parse_size("60%", "").percent == 60.0);
  CHECK(parse_size("12.5%", "").percent == 12.5);
  CHECK_FALSE(parse_size("60", "").percent);
}

TEST_CASE("what is no size is told with what was expected", "[size]") {
  const std::string text = GENERATE("", "MiB", "-1", "-0.5GB", "1 GB", "1e3", "nan", "inf", "1GBs",
                                    "0x10", "60%%", "%", "+5", "1,5GB", "4gib");
  CAPTURE(text);
  CHECK_THROWS_WITH(parse_size(text, "--memory"),
                    Catch::StartsWith("--memory: ") && Catch::Contains("; expected bytes"));
}

TEST_CASE("sizes beyond int64 are refused", "[size]") {
  const std::string text =
      GENERATE("9223372036854775808", "99999999999999999999", "8192PiB", "1000000000TiB");
  CAPTURE(text);
  CHECK_THROWS_WITH(parse_size(text, "here"), Catch::Contains("too large; expected at most"));
}

TEST_CASE("a memory option has a name or none", "[size]") {
  CHECK(parse_memory_option("4").name.empty());
  CHECK(parse_memory_option("n0/ram=4").name == "n0/ram");
  CHECK(parse_memory_option("n0/ram=4KiB").size.bytes == 4096);
  CHECK_THROWS_AS(parse_memory_option("=4"), InputError);
  CHECK_THROWS_WITH(parse_memory_option("n0/ram="), Catch::StartsWith("--memory n0/ram: \"\""));
}
