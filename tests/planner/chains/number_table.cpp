#include "tests/planner/chains/number_table.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stint {

std::vector<NumberRow> read_number_table(const std::string& name) {
  std::ifstream file(std::string(STINT_SOURCE_DIR) + "/tests/planner/chains/data/" + name);
  if (!file) throw std::runtime_error(name + ": cannot be read; expected a table of numbers");
  std::vector<NumberRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    NumberRow row;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      row.push_back(word == "-" ? std::nullopt : std::optional<std::int64_t>(std::stoll(word)));
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace stint
