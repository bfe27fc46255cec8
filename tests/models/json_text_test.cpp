#include "files/json_text.hpp"

#include <catch2/catch.hpp>

using namespace stint;

TEST_CASE("a quantity is written as it is read", "[json_text]") {
  CHECK(to_json(Quantity(2)).dump() == "2.0");
  CHECK(to_json(Quantity(95.5, Basis::measured, "here")).dump() ==
        R"({"value":95.5,"basis":"measured","source":"here"})");
  CHECK(to_json(Quantity(1, Basis::assumed, "")).dump() == R"({"value":1.0,"basis":"assumed"})");
}

TEST_CASE("a document's text has one element of a list a line", "[json_text]") {
  JsonText text;
  text.value("a", 1);
  text.begin_list("b");
  text.element({{"z", 1}, {"y", "é\n"}});
  text.raw_element("2");
  text.end_list();
  text.begin_list("c");
  text.end_list();
  text.raw("d", "{}");
  REQUIRE(text.finish() ==
          "{\"a\": 1,\n \"b\": [\n  {\"z\":1,\"y\":\"é\\n\"},\n  2],\n \"c\": [],\n \"d\": {}}");
}
