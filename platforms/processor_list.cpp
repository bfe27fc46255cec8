#include "platforms/processor_list.hpp"

#include <algorithm>
#include <sstream>

#include "platforms/system_files.hpp"

namespace stint {

std::vector<int> processors_in(const std::string& list, char separator) {
  constexpr std::uint64_t most = 65536;
  std::vector<int> processors;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, separator);) {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == range.size() ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= most) return {};
    for (auto cpu = *first; cpu <= *last; ++cpu) processors.push_back(static_cast<int>(cpu));
  }
  return processors;
}

}  // namespace stint
