// Everything is in one namespace, so no two headers of the folders that are linked together may
// define a type of the same name: the linker would quietly take one of the two for both.
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/repository/tracked_files.hpp"

using namespace stint;

namespace {

// Types that a text defines at the start of a line: not those inside others, not those only named.
std::vector<std::string> types_in(const std::string& text) {
  static const std::regex definition(
      R"(^(?:struct|class|enum class|enum)\s+(?:alignas\(\d+\)\s+)?(\w+)[^;]*\{.*)");
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, definition)) names.push_back(found[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("no two headers define a type of the same name", "[repository]") {
  std::map<std::string, std::set<std::string>> files_by_name;
  for (const std::string& file : tracked_files()) {
    if (!file.ends_with(".hpp")) continue;
    for (const std::string& name : types_in(tracked_text(file))) {
      files_by_name[name].insert(file);
    }
  }
  REQUIRE(files_by_name.size() > 100);
  for (const auto& [name, files] : files_by_name) {
    CAPTURE(name, files);
    CHECK(files.size() == 1);
  }
}

TEST_CASE("definitions of types are told from mentions", "[repository]") {
  CHECK(
      types_in("struct A {\n  struct B {};\n};\nstruct C;\nclass D : public A {\nenum E : int {};\n"
               "struct alignas(64) F {\nenum class G { a, b };\n") ==
      std::vector<std::string>{"A", "D", "E", "F", "G"});
}
