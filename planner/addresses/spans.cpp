#include "planner/addresses/spans.hpp"

#include <algorithm>
#include <tuple>

namespace stint {

// Going through time, a set is a largest one when something ends after something began.
Spans spans_of(const std::vector<Item>& items) {
  Spans result;
  std::vector<std::tuple<int, bool, int>> events;  // time, begins, span
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].bytes <= 0 || items[i].begin >= items[i].end) continue;
    const int span = static_cast<int>(result.spans.size());
    result.spans.push_back({items[i].bytes, 0, 0});
    result.item.push_back(static_cast<int>(i));
    events.emplace_back(items[i].begin, true, span);
    events.emplace_back(items[i].end, false, span);
  }
  std::sort(events.begin(), events.end());
  bool has_begun = false;
  for (const auto& [time, begins, span] : events) {
    if (begins) result.spans[span].first = result.sections;
    if (!begins && has_begun) ++result.sections;
    if (!begins) result.spans[span].last = result.sections - 1;
    has_begun = begins;
  }
  return result;
}

}  // namespace stint
