#include "files/parse_json.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"

using namespace stint;

namespace {

// What is wrong with a text, or nothing.
std::string parse_fault(const std::string& text) {
  try {
    parse_json(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("text that is not JSON is refused with line and column", "[parse_json]") {
  const std::string rest = ": not JSON; expected a JSON document in UTF-8";
  CHECK(parse_fault("{\"a\": 1,\n \"b\": x}") == "f.json: / (line 2, column 7)" + rest);
  CHECK(parse_fault("[1 2]") == "f.json: / (line 1, column 4)" + rest);
  CHECK(parse_fault("[NaN]") == "f.json: / (line 1, column 2)" + rest);
  CHECK(parse_fault("{} {}") == "f.json: / (line 1, column 4)" + rest);
  CHECK(parse_fault("[\"\xff\"]") == "f.json: / (line 1, column 3)" + rest);
}

TEST_CASE("text that ends too early is refused as such", "[parse_json]") {
  const std::string rest = ": the file ends too early; expected the rest of a JSON document";
  CHECK(parse_fault("") == "f.json: / (line 1, column 0)" + rest);
  CHECK(parse_fault("[1, {\"a\": ") == "f.json: / (line 1, column 10)" + rest);
  CHECK(parse_fault("[\n\"text") == "f.json: / (line 2, column 5)" + rest);
}

TEST_CASE("numbers beyond a double are refused", "[parse_json]") {
  REQUIRE(parse_fault("[1e400]") ==
          "f.json: / (line 1, column 6): a number too large for its type; expected one below "
          "1.8e308");
}

TEST_CASE("a key written twice is refused where it stands", "[parse_json]") {
  CHECK(parse_fault("{\"a\": 1, \"a\": 1}") ==
        "f.json: /: the key \"a\" is written twice in one object; expected once");
  CHECK(parse_fault("{\"x\": {\"a\": 1}, \"b/c\": [0, {\"d\": [], \"d\": 1}], \"z\": 1}") ==
        "f.json: /b~1c/1: the key \"d\" is written twice in one object; expected once");
  CHECK(parse_fault("[[1, 2], {\"a\": {\"b\": 1}, \"b\": 2}]").empty());
}

TEST_CASE("nesting beyond reason is refused, not followed", "[parse_json]") {
  const std::string deep(1'000'000, '[');
  CHECK(parse_fault(deep) == "f.json: /" + [] {
    std::string path = "0";
    for (int i = 1; i < 64; ++i) path += "/0";
    return path;
  }() + ": nested deeper than 64 levels; expected one of our files");
  CHECK(parse_fault(std::string(64, '[') + std::string(64, ']')).empty());
}
