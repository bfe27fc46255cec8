// Columns of text that line up: the first to the left, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace stint {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Control characters in a cell are written as \u00XX.
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // A line of titles, then the rows; no spaces at the ends of lines.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stint
