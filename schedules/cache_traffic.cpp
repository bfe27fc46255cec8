#include "schedules/cache_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "models/segments.hpp"

namespace stint {
namespace {

struct PricedCache {
  double share_bytes = 0;
  double seconds_per_byte = 0;
};

std::vector<PricedCache> priced_caches(const Device& device) {
  const auto model = device.time_model.find(cache_prices);
  std::vector<PricedCache> priced;
  if (model == device.time_model.end()) return priced;
  for (const Cache& cache : device.caches) {
    const auto price = model->second.terms.find(fmt::format("level{}", cache.level));
    if (price == model->second.terms.end() || price->second.value == 0) continue;
    const int sharers = std::max(1, std::min<int>(cache.shared_by, device.workers));
    priced.push_back({static_cast<double>(cache.bytes) / sharers, price->second.value});
  }
  return priced;
}

// Sums of the last so many of a growing list of numbers (Fenwick, 1994). Not integers: sizes that
// no machine has must not overflow.
class RecentBytes {
 public:
  explicit RecentBytes(std::size_t places) : tree_(places + 1, 0) {}

  void add(std::size_t place, double bytes) {
    total_ += bytes;
    for (std::size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += bytes;
  }
  double from(std::size_t place) const {
    double before = 0;
    for (std::size_t i = place; i > 0; i -= i & (~i + 1)) before += tree_[i];
    return total_ - before;
  }

 private:
  std::vector<double> tree_;
  double total_ = 0;
};

class CacheTraffic {
 public:
  CacheTraffic(const Schedule& schedule, std::vector<double>& seconds)
      : schedule_(schedule),
        segments_(segments(schedule.graph)),
        last_place_(segments_.count()),
        last_list_(segments_.count(), 0),
        seconds_(seconds) {}

  // Two steps, of which the second counts.
  void follow(const std::vector<ActionId>& list, const std::vector<PricedCache>& caches) {
    ++list_;
    std::size_t touches = 0;
    for (const ActionId id : list) for_each_segment(id, [&](int) { ++touches; });
    RecentBytes recent(2 * touches);
    std::size_t place = 0;
    for (const bool counts : {false, true}) {
      for (const ActionId id : list) {
        for_each_segment(id, [&](int s) {
          const double seconds = touch(s, place++, recent, caches);
          if (counts) seconds_[id] += seconds;
        });
      }
    }
  }

 private:
  double bytes(int s) const {
    return static_cast<double>(segments_.end_bytes[s] - segments_.begin_bytes[s]);
  }

  template <typename Visit>
  void for_each_segment(ActionId id, Visit visit) const {
    const Action& action = schedule_.actions[id];
    if (action.what != Do::compute) return;
    const Task& task = schedule_.graph.tasks[action.task];
    for (const auto* tensors : {&task.reads, &task.updates, &task.writes}) {
      for (const TensorId tensor : *tensors) {
        const SegmentRange range = segments_.of_tensor[tensor];
        for (int s = range.begin; s < range.end; ++s) visit(s);
      }
    }
  }

  // What the worker has to fetch of the segment, in seconds; it is the last that it touched then.
  double touch(int s, std::size_t place, RecentBytes& recent,
               const std::vector<PricedCache>& caches) {
    const bool again = last_list_[s] == list_;
    const double since = again ? recent.from(last_place_[s]) : 0;
    if (again) recent.add(last_place_[s], -bytes(s));
    recent.add(place, bytes(s));
    last_place_[s] = place;
    last_list_[s] = list_;
    double seconds = 0;
    for (const PricedCache& cache : caches) {
      if (!again || since > cache.share_bytes) seconds += cache.seconds_per_byte * bytes(s);
    }
    return seconds;
  }

  const Schedule& schedule_;
  Segments segments_;
  std::vector<std::size_t> last_place_;  // by segment: where it was touched last
  std::vector<int> last_list_;           // and in which list
  int list_ = 0;
  std::vector<double>& seconds_;
};

}  // namespace

bool prices_caches(const Platform& platform) {
  return std::any_of(platform.devices.begin(), platform.devices.end(),
                     [](const Device& device) { return !priced_caches(device).empty(); });
}

std::vector<double> cache_seconds(const Schedule& schedule, const std::vector<Worker>& workers,
                                  const Lanes& lanes) {
  std::vector<double> seconds;
  if (!prices_caches(schedule.platform)) return seconds;
  seconds.assign(schedule.actions.size(), 0);
  CacheTraffic traffic(schedule, seconds);
  for (std::size_t w = 0; w < workers.size(); ++w) {
    if (workers[w].is_link()) continue;
    const auto caches = priced_caches(schedule.platform.devices[workers[w].device]);
    if (!caches.empty()) traffic.follow(lanes.lists[w], caches);
  }
  return seconds;
}

}  // namespace stint
