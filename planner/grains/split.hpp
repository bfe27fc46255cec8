// How many of B equal items each of several unequal workers takes. Worker k needs o_k + c_k·b_k
// seconds for b_k items, and nothing for none; it takes at most cap_k.
//
// Items are whole: leaves of a batch, tasks of one size, samples. The same question for cores, for
// devices and for nodes. What the items depend on is not asked: between two barriers the answer is
// exact, without barriers it is where a search may begin.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stint {

struct SplitWorker {
  double overhead_seconds = 0;  // o, once if it takes anything
  double item_seconds = 0;      // c, 0 or more
  std::int64_t most_items = 0;  // cap
  double busy_watts = 0;        // while it works, idle watts included
  double idle_watts = 0;        // as long as the step takes
};

struct ItemSplit {
  std::vector<std::int64_t> items;  // by worker
  double seconds = 0;               // the last of them ends
  double joules = 0;                // 0 from split_for_time
};

// The earliest end: item after item goes to the worker that would finish first with it, the lowest
// of equals. Nothing if the workers cannot take all items. O(B log k).
std::optional<ItemSplit> split_for_time(std::int64_t items,
                                        const std::vector<SplitWorker>& workers);

// The least energy: Σ (busy − idle)·(o + c·b) of those that work + Σ idle·T, where T is the last
// end + `after_seconds`, at most `deadline_seconds` if there is one. Of equals the least T, then
// the lexicographically least. Exact: for every end that a worker can have, a knapsack over the
// workers. O(k·B) for each of at most Σ cap ends, those that idling alone makes too dear left out.
std::optional<ItemSplit> split_for_energy(std::int64_t items,
                                          const std::vector<SplitWorker>& workers,
                                          double after_seconds = 0,
                                          std::optional<double> deadline_seconds = {});

}  // namespace stint
