// Lists of processors as the kernel writes them: `0`, `0,18`, `0-3,8`, or `0 1 2`.
#pragma once

#include <string>
#include <vector>

namespace stint {

// None if the text is no such list.
std::vector<int> processors_in(const std::string& list, char separator = ',');

}  // namespace stint
