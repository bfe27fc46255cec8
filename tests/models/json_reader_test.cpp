#include "files/json_reader.hpp"

#include <catch2/catch.hpp>

using namespace stint;

namespace {

// What the reader says of a document, or nothing if it reads it.
template <typename Read>
std::string fault(const std::string& text, Read read) {
  try {
    const nlohmann::json document = parse_json(text, "f.json");
    read(JsonReader(document, "f.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

enum class Colour { red, green };
const std::vector<std::pair<std::string_view, Colour>> colours = {{"red", Colour::red},
                                                                  {"green", Colour::green}};

}  // namespace

TEST_CASE("values of the wrong type are refused with what they are", "[json_reader]") {
  const std::string text = R"({"o": {}, "l": [], "t": "x", "n": 1.5, "b": true, "z": null})";
  const auto at = [&](const char* key, auto read) {
    return fault(text, [&](const JsonReader& reader) { read(reader.child(key)); });
  };
  CHECK(at("o", [](const JsonReader& v) { v.text(); }) == "f.json: /o: an object; expected a text");
  CHECK(at("t", [](const JsonReader& v) { v.elements(); }) ==
        "f.json: /t: a text; expected a list");
  CHECK(at("l", [](const JsonReader& v) { v.members(); }) ==
        "f.json: /l: a list; expected an object");
  CHECK(at("n", [](const JsonReader& v) { v.boolean(); }) ==
        "f.json: /n: a number; expected true or false");
  CHECK(at("b", [](const JsonReader& v) { v.number(); }) ==
        "f.json: /b: a boolean; expected a number");
  CHECK(at("z", [](const JsonReader& v) { v.integer(); }) ==
        "f.json: /z: null; expected a whole number of at least 0");
  CHECK(at("n", [](const JsonReader& v) { v.integer(); }) ==
        "f.json: /n: 1.5; expected a whole number of at least 0");
}

TEST_CASE("whole numbers stay within their range", "[json_reader]") {
  const auto integer = [](const std::string& number) {
    return fault("[" + number + "]",
                 [](const JsonReader& reader) { reader.elements()[0].integer(1, 9); });
  };
  const std::string rest = "; expected a whole number from 1 to 9";
  CHECK(integer("1").empty());
  CHECK(integer("9").empty());
  CHECK(integer("0") == "f.json: /0: 0" + rest);
  CHECK(integer("10") == "f.json: /0: 10" + rest);
  CHECK(integer("-1") == "f.json: /0: -1" + rest);
  CHECK(integer("18446744073709551615") == "f.json: /0: 18446744073709551615" + rest);
  CHECK(integer("99999999999999999999") == "f.json: /0: 1e+20" + rest);
  CHECK(integer("1.0") == "f.json: /0: 1.0" + rest);
}

TEST_CASE("the largest whole number is read exactly", "[json_reader]") {
  const auto document = parse_json("[9223372036854775807, 9223372036854775808]", "f.json");
  const auto elements = JsonReader(document, "f.json").elements();
  CHECK(elements[0].integer() == max_int64);
  CHECK_THROWS_WITH(elements[1].integer(),
                    "f.json: /1: 9223372036854775808; expected a whole number of at least 0");
}

TEST_CASE("numbers below their least are refused", "[json_reader]") {
  CHECK(fault("[-0.5]", [](const JsonReader& reader) { reader.elements()[0].number(); }) ==
        "f.json: /0: -0.5; expected a number of at least 0");
}

TEST_CASE("a quantity is a number, or an object that says where it comes from", "[json_reader]") {
  const auto document = parse_json(
      R"([2, {"value": 95.5, "basis": "measured", "source": "here"}, {"value": 1, "basis": "assumed"}])",
      "f.json");
  const auto elements = JsonReader(document, "f.json").elements();
  CHECK(elements[0].quantity() == Quantity(2));
  CHECK(elements[1].quantity() == Quantity(95.5, Basis::measured, "here"));
  CHECK(elements[2].quantity() == Quantity(1, Basis::assumed, ""));
  for (const JsonReader& element : elements) {
    const auto text = to_json(element.quantity()).dump();
    const auto again = parse_json(text, "g.json");
    CHECK(JsonReader(again, "g.json").quantity() == element.quantity());
  }
}

TEST_CASE("a quantity's own faults are found", "[json_reader]") {
  const auto quantity = [](const std::string& text) {
    return fault(text, [](const JsonReader& reader) { reader.quantity(); });
  };
  CHECK(quantity(R"({"basis": "measured"})") == "f.json: /: no key \"value\"; expected \"value\"");
  CHECK(quantity(R"({"value": 1})") == "f.json: /: no key \"basis\"; expected \"basis\"");
  CHECK(quantity(R"({"value": -1, "basis": "measured"})") ==
        "f.json: /value: -1; expected a number of at least 0");
  CHECK(quantity(R"({"value": 1, "basis": "guessed"})") ==
        "f.json: /basis: unknown word \"guessed\"; expected one of measured, calibrated, "
        "datasheet, assumed");
  CHECK(quantity(R"({"value": 1, "basis": "measured", "unit": "W"})") ==
        "f.json: /: unknown key \"unit\"; expected only value, basis, source");
  CHECK(quantity("\"1\"") == "f.json: /: a text; expected a number");
}

TEST_CASE("absent keys give the default, null does not", "[json_reader]") {
  const auto document = parse_json(R"({"null": null})", "f.json");
  const JsonReader reader(document, "f.json");
  CHECK(reader.text("none", "default") == "default");
  CHECK(reader.boolean("none", true));
  CHECK(reader.integer("none", 7) == 7);
  CHECK(reader.quantity("none", 0.5) == Quantity(0.5));
  CHECK(reader.word("none", Colour::green, colours) == Colour::green);
  CHECK(reader.optional_elements("none").empty());
  CHECK_THROWS_WITH(reader.text("null", ""), "f.json: /null: null; expected a text");
  CHECK_THROWS_WITH(reader.boolean("null", true), "f.json: /null: null; expected true or false");
  CHECK_THROWS_WITH(reader.quantity("null", 0.5), "f.json: /null: null; expected a number");
  CHECK_THROWS_WITH(reader.word("null", Colour::red, colours),
                    "f.json: /null: null; expected a text");
  CHECK_THROWS_WITH(reader.optional_elements("null"), "f.json: /null: null; expected a list");
}

TEST_CASE("a key may be present, present but null, or absent", "[json_reader]") {
  const auto document = parse_json(R"({"a": 1, "n": null})", "f.json");
  const JsonReader reader(document, "f.json");
  CHECK((reader.contains("a") && reader.has("a") && !reader.is_null("a")));
  CHECK((reader.contains("n") && !reader.has("n") && reader.is_null("n")));
  CHECK((!reader.contains("z") && !reader.has("z") && !reader.is_null("z")));
}

TEST_CASE("words of a fixed list are read, others refused", "[json_reader]") {
  const auto document = parse_json(R"({"a": "green", "b": "gren"})", "f.json");
  const JsonReader reader(document, "f.json");
  CHECK(reader.word("a", Colour::red, colours) == Colour::green);
  CHECK_THROWS_WITH(reader.word("b", Colour::red, colours),
                    "f.json: /b: unknown word \"gren\"; expected one of red, green");
}

TEST_CASE("paths escape what JSON pointers escape", "[json_reader]") {
  const auto document = parse_json(R"({"a/b~c": {"d": [0, {}]}})", "f.json");
  const JsonReader reader(document, "f.json");
  CHECK(reader.where() == "f.json: /");
  CHECK(reader.child("a/b~c").elements("d")[1].where() == "f.json: /a~1b~0c/d/1");
  CHECK(reader.members()[0].second.path() == "/a~1b~0c");
}

TEST_CASE("messages stay on one line whatever the file says", "[json_reader]") {
  CHECK(fault(R"({"a\nb": 1})", [](const JsonReader& reader) { reader.expect_only({"c"}); }) ==
        "f.json: /: unknown key \"a\\u000ab\"; expected only c");
}

TEST_CASE("a document of another format or version is refused", "[json_reader]") {
  const auto expect = [](const std::string& text) {
    return fault(text, [](const JsonReader& reader) { reader.expect_format("stint-x", 1); });
  };
  CHECK(expect(R"({"format": "stint-x", "version": 1})").empty());
  CHECK(expect(R"({"format": "stint-y", "version": 1})") ==
        "f.json: /format: the format \"stint-y\"; expected \"stint-x\"");
  CHECK(expect(R"({"format": "stint-x", "version": 2})") ==
        "f.json: /version: 2; expected a whole number from 1 to 1");
  CHECK(expect(R"({"version": 1})") == "f.json: /: no key \"format\"; expected \"format\"");
  CHECK(expect("[]") == "f.json: /: a list; expected an object");
}
