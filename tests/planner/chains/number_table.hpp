// Reads the reference tables of data/: a line for each case, whole numbers, "-" for none, "#" for
// remarks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stint {

using NumberRow = std::vector<std::optional<std::int64_t>>;

std::vector<NumberRow> read_number_table(const std::string& name);

}  // namespace stint
