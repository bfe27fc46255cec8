#include "planner/graphs/sequence_items.hpp"

#include <algorithm>

namespace stint {

std::vector<Item> items_of(const DeviceGraph& graph, const SequenceMeter& meter,
                           const TaskSequence& sequence) {
  std::vector<ItemInstance> instances = meter.instances();
  for (std::size_t i = meter.in_place().size(); i-- > 0;) {
    const auto& [step, from, to] = meter.in_place()[i];
    if (meter.instances()[from].last != step) continue;
    instances[from].last = instances[to].last;
    instances[from].bytes = std::max(instances[from].bytes, instances[to].bytes);
    instances[to].bytes = 0;
  }
  std::vector<Item> items;
  for (const ItemInstance& instance : instances)
    items.push_back({instance.bytes, instance.begin, instance.last + 1});
  for (int step = 0; step < static_cast<int>(sequence.size()); ++step)
    items.push_back({graph.tasks[sequence[step]].workspace_bytes, step, step + 1});
  std::erase_if(items, [](const Item& item) { return item.bytes == 0; });
  return items;
}

}  // namespace stint
