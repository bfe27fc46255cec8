// The operators that models/README.md lists are those that are read.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "files/text_file.hpp"
#include "models/onnx/translation.hpp"

using namespace stint;

namespace {

// Words between backquotes in the first column of the table that has this head.
std::set<std::string> listed(const std::string& text, const std::string& head) {
  std::istringstream lines(text.substr(text.find(head) + head.size()));
  std::set<std::string> words;
  std::string line;
  std::getline(lines, line);  // the rest of the head
  while (std::getline(lines, line) && line.starts_with("|")) {
    const std::string column = line.substr(0, line.find(" | "));
    std::istringstream parts(column);
    std::string part;
    for (bool inside = false; std::getline(parts, part, '`'); inside = !inside) {
      if (inside) words.insert(part);
    }
  }
  return words;
}

}  // namespace

TEST_CASE("the operators in the docs are those that are read", "[onnx]") {
  const std::string readme = read_text(STINT_SOURCE_DIR "/models/README.md");
  std::set<std::string> read = {"Erf", "LogSoftmax"};  // only as parts of others
  for (const auto* table : {&operators(), &folds()}) {
    for (const auto& [op, translate] : *table) read.insert(op);
  }
  CHECK(listed(readme, "| operator | layer | limits |") == read);
}
