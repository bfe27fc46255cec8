#include "planner/addresses/obstacle.hpp"

#include <algorithm>
#include <numeric>

namespace stint {
namespace {

class Shrinking {
 public:
  Shrinking(const std::vector<Item>& items, std::int64_t capacity, const FitOptions& options)
      : items_(items), capacity_(capacity), options_(options) {}

  std::optional<Obstacle> find() {
    Obstacle found;
    found.items.resize(items_.size());
    std::iota(found.items.begin(), found.items.end(), 0);
    for (const Item& item : items_) {
      found.begin = std::min(found.begin, item.begin);
      found.end = std::max(found.end, item.end);
    }
    if (!is_obstacle(found)) return std::nullopt;
    narrow(found);
    leave_out(found);
    return tight(found);
  }

 private:
  // As far as they live within the time.
  std::vector<Item> within(const Obstacle& obstacle) const {
    std::vector<Item> cut;
    for (const int i : obstacle.items) {
      const Item& item = items_[i];
      cut.push_back(
          {item.bytes, std::max(item.begin, obstacle.begin), std::min(item.end, obstacle.end)});
      cut.back().end = std::max(cut.back().end, cut.back().begin);
    }
    return cut;
  }

  bool is_obstacle(const Obstacle& obstacle) const {
    return fit(within(obstacle), capacity_, options_).status == FitStatus::impossible;
  }

  // The earliest end, then the latest begin, at which it still is one: by halving, since more time
  // never makes it fit.
  void narrow(Obstacle& found) const {
    const auto shortest = [&](int Obstacle::*side, int good, int bad) {
      while (std::abs(good - bad) > 1) {
        Obstacle tried = found;
        tried.*side = std::midpoint(good, bad);
        (is_obstacle(tried) ? good : bad) = tried.*side;
      }
      found.*side = good;
    };
    shortest(&Obstacle::end, found.end, found.begin);
    shortest(&Obstacle::begin, found.begin, found.end);
  }

  // Small items first: what remains is what counts.
  void leave_out(Obstacle& found) const {
    const auto cut = within(found);
    std::vector<int> kept;
    for (std::size_t k = 0; k < cut.size(); ++k) {
      if (cut[k].bytes > 0 && cut[k].begin < cut[k].end) kept.push_back(found.items[k]);
    }
    found.items = kept;
    std::stable_sort(kept.begin(), kept.end(),
                     [&](int a, int b) { return items_[a].bytes < items_[b].bytes; });
    for (const int item : kept) {
      Obstacle less = found;
      std::erase(less.items, item);
      if (is_obstacle(less)) found = std::move(less);
    }
  }

  // The time in which its items live.
  Obstacle tight(Obstacle found) const {
    int begin = found.end;
    int end = found.begin;
    for (const Item& item : within(found)) {
      begin = std::min(begin, item.begin);
      end = std::max(end, item.end);
    }
    found.begin = begin;
    found.end = end;
    return found;
  }

  const std::vector<Item>& items_;
  std::int64_t capacity_;
  const FitOptions& options_;
};

}  // namespace

std::optional<Obstacle> find_obstacle(const std::vector<Item>& items, std::int64_t capacity_bytes,
                                      const FitOptions& options) {
  return Shrinking(items, capacity_bytes, options).find();
}

}  // namespace stint
