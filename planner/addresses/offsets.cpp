#include "planner/addresses/offsets.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace stint {

namespace {

using Order = std::vector<int>;

// First-fit, item after item, until the arena would be larger than `most_bytes`. Those placed so
// far lie by ascending offset with all that the search for a gap asks for: it is nearly all of the
// time that placing takes.
class FirstFit {
 public:
  FirstFit(const std::vector<Item>& items, std::int64_t most_bytes)
      : items_(items), most_bytes_(most_bytes) {
    placement_.offsets.assign(items.size(), 0);
    placed_.reserve(items.size());
  }

  // Whether the item lies within the arena that is allowed.
  bool add(int index) {
    const Item& item = items_[index];
    if (item.bytes == 0) return true;
    const std::int64_t offset = lowest_gap(item);
    const std::int64_t end = offset + item.bytes;
    if (end > most_bytes_) return false;
    const auto behind =
        std::upper_bound(placed_.begin(), placed_.end(), offset,
                         [](std::int64_t at, const Placed& other) { return at < other.offset; });
    placed_.insert(behind, {offset, end, item.begin, item.end});
    placement_.offsets[index] = offset;
    placement_.arena_bytes = std::max(placement_.arena_bytes, end);
    return true;
  }

  // An item where it lay before. Those that are kept come first, by ascending offset.
  void keep(int index, std::int64_t offset) {
    const Item& item = items_[index];
    if (item.bytes == 0) return;
    placed_.push_back({offset, offset + item.bytes, item.begin, item.end});
    placement_.offsets[index] = offset;
    placement_.arena_bytes = std::max(placement_.arena_bytes, offset + item.bytes);
  }

  Placement finish() { return std::move(placement_); }

 private:
  struct Placed {
    std::int64_t offset;
    std::int64_t end_offset;
    int begin;
    int end;
  };

  std::int64_t lowest_gap(const Item& item) const {
    std::int64_t offset = 0;
    for (const Placed& other : placed_) {
      if (other.begin >= item.end || item.begin >= other.end) continue;
      if (other.offset - offset >= item.bytes) break;
      offset = std::max(offset, other.end_offset);
    }
    return offset;
  }

  const std::vector<Item>& items_;
  std::int64_t most_bytes_;
  std::vector<Placed> placed_;
  Placement placement_;
};

// Nothing if the arena would be larger than `most_bytes`.
std::optional<Placement> place_within(const std::vector<Item>& items, const Order& order,
                                      std::int64_t most_bytes) {
  FirstFit fit(items, most_bytes);
  for (const int item : order) {
    if (!fit.add(item)) return std::nullopt;
  }
  return fit.finish();
}

Placement place_in_order(const std::vector<Item>& items, const Order& order) {
  return *place_within(items, order, INT64_MAX);
}

// The load between one change and the next, in order of time.
std::vector<std::pair<int, std::int64_t>> load_curve(const std::vector<Item>& items) {
  std::map<int, std::int64_t> change;
  for (const Item& item : items) {
    if (item.begin >= item.end) continue;
    change[item.begin] += item.bytes;
    change[item.end] -= item.bytes;
  }
  std::vector<std::pair<int, std::int64_t>> curve(change.begin(), change.end());
  for (std::size_t i = 1; i < curve.size(); ++i) curve[i].second += curve[i - 1].second;
  return curve;
}

// For every item the largest load while it lives.
std::vector<std::int64_t> contention(const std::vector<Item>& items) {
  const auto curve = load_curve(items);
  std::vector<std::int64_t> most;
  for (const Item& item : items) {
    auto at = std::lower_bound(curve.begin(), curve.end(), std::pair{item.begin, INT64_MIN});
    std::int64_t load = 0;
    for (; at != curve.end() && at->first < item.end; ++at) load = std::max(load, at->second);
    most.push_back(load);
  }
  return most;
}

// Sorts by falling keys, then by id: the order is unique.
template <typename... Keys>
Order falling(const std::vector<Item>& items, const Keys&... keys) {
  Order order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::tuple(keys(a)...) > std::tuple(keys(b)...); });
  return order;
}

std::vector<Order> usual_orders(const std::vector<Item>& items) {
  const auto crowd = contention(items);
  const auto size = [&](int i) { return items[i].bytes; };
  const auto length = [&](int i) { return items[i].end - items[i].begin; };
  const auto area = [&](int i) { return static_cast<double>(size(i)) * length(i); };
  const auto start = [&](int i) { return -items[i].begin; };
  const auto end = [&](int i) { return items[i].end; };
  const auto load = [&](int i) { return crowd[i]; };
  return {falling(items, size, length),       falling(items, area, size),
          falling(items, length, size),       falling(items, start, size),
          falling(items, end, size),          falling(items, load, size, length),
          falling(items, load, length, size), falling(items, load, area)};
}

// How many more orders to try: fewer for many items, whose placing takes their square.
int rounds(std::size_t items, std::size_t most) {
  constexpr std::size_t most_work = 20'000'000;
  return static_cast<int>(std::min(most, most_work / (items * items + 1)));
}

// The first in the order that reaches the top of the arena.
Order::iterator first_at_top(const std::vector<Item>& items, const Placement& placement,
                             Order& order) {
  return std::find_if(order.begin(), order.end(), [&](int item) {
    return items[item].bytes > 0 &&
           placement.offsets[item] + items[item].bytes == placement.arena_bytes;
  });
}

// Whatever reaches the top of the arena is placed first the next time, until nothing is above the
// aim.
Placement improved(const std::vector<Item>& items, Order order, std::int64_t aim) {
  Placement best = place_in_order(items, order);
  Placement now = best;
  for (int round = rounds(items.size(), 200); round > 0 && best.arena_bytes > aim; --round) {
    const auto top = first_at_top(items, now, order);
    std::rotate(order.begin(), top, top + 1);
    now = place_in_order(items, order);
    if (now.arena_bytes < best.arena_bytes) best = now;
  }
  return best;
}

// Placements of orders that begin as one that was placed begins: what lies at the begin of both
// lies at the same offsets, and is not placed again.
class Neighbours {
 public:
  explicit Neighbours(const std::vector<Item>& items) : items_(items), place_(items.size()) {}

  void settle(const Order& order, const Placement& placement) {
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<int>(i);
    by_offset_ = order;
    std::sort(by_offset_.begin(), by_offset_.end(), [&](int a, int b) {
      return std::pair(placement.offsets[a], a) < std::pair(placement.offsets[b], b);
    });
  }

  // `placement`: the settled one. `alike`: how many items both orders begin with.
  std::optional<Placement> place(const Placement& placement, const Order& order, int alike) const {
    FirstFit fit(items_, placement.arena_bytes);
    for (const int item : by_offset_) {
      if (place_[item] < alike) fit.keep(item, placement.offsets[item]);
    }
    for (auto item = order.begin() + alike; item != order.end(); ++item) {
      if (!fit.add(*item)) return std::nullopt;
    }
    return fit.finish();
  }

 private:
  const std::vector<Item>& items_;
  std::vector<int> place_;  // in the settled order, by item
  Order by_offset_;
};

// Local search over orders: what reaches the top, or now and then anything, is placed earlier; kept
// if the arena does not grow by it. The same items always give the same walk.
Placement searched(const std::vector<Item>& items, Order order, std::int64_t aim) {
  std::mt19937_64 random(items.size());
  Placement best = place_in_order(items, order);
  Neighbours neighbours(items);
  neighbours.settle(order, best);
  for (int round = rounds(items.size(), 4000); round > 0 && best.arena_bytes > aim; --round) {
    auto moved = first_at_top(items, best, order);
    if (random() % 4 == 0) moved = order.begin() + static_cast<int>(random() % order.size());
    Order next(order.begin(), order.end());
    const auto from = next.begin() + (moved - order.begin());
    const auto to = next.begin() + static_cast<int>(random() % (moved - order.begin() + 1));
    std::rotate(to, from, from + 1);
    const int alike = static_cast<int>(to - next.begin());
    auto other = neighbours.place(best, next, alike);
    if (!other) continue;
    best = std::move(*other);
    order = std::move(next);
    neighbours.settle(order, best);
  }
  return best;
}

// First-fit in order of time needs only the gaps that are free now: offset -> bytes, the last one
// without end.
class Gaps {
 public:
  std::int64_t take(std::int64_t bytes) {
    auto gap = gaps_.begin();
    while (gap->second < bytes) ++gap;
    const auto [offset, size] = *gap;
    gaps_.erase(gap);
    if (size > bytes) gaps_.emplace(offset + bytes, size - bytes);
    return offset;
  }

  void give_back(std::int64_t offset, std::int64_t bytes) {
    auto [gap, inserted] = gaps_.emplace(offset, bytes);
    if (const auto next = std::next(gap); next != gaps_.end() && next->first == offset + bytes) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap == gaps_.begin()) return;
    const auto previous = std::prev(gap);
    if (previous->first + previous->second != offset) return;
    previous->second += gap->second;
    gaps_.erase(gap);
  }

 private:
  std::map<std::int64_t, std::int64_t> gaps_{{0, INT64_MAX}};
};

// What begins at an event takes bytes after what ends there has given them back.
Placement sweep(const std::vector<Item>& items) {
  std::vector<std::tuple<int, int, int>> events;  // time, 0 end or 1 begin, item
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    if (items[i].bytes == 0 || items[i].begin >= items[i].end) continue;
    events.emplace_back(items[i].begin, 1, i);
    events.emplace_back(items[i].end, 0, i);
  }
  std::sort(events.begin(), events.end());
  Placement placement{std::vector<std::int64_t>(items.size(), 0), 0};
  Gaps gaps;
  for (const auto& [time, begins, item] : events) {
    std::int64_t& offset = placement.offsets[item];
    if (begins == 0) {
      gaps.give_back(offset, items[item].bytes);
      continue;
    }
    offset = gaps.take(items[item].bytes);
    placement.arena_bytes = std::max(placement.arena_bytes, offset + items[item].bytes);
  }
  return placement;
}

// The same with time running backwards: what dies last is placed first.
Placement backward_sweep(std::vector<Item> items) {
  for (Item& item : items) item = {item.bytes, -item.end, -item.begin};
  return sweep(items);
}

}  // namespace

std::int64_t largest_load(const std::vector<Item>& items) {
  std::int64_t most = 0;
  for (const auto& [time, load] : load_curve(items)) most = std::max(most, load);
  return most;
}

Placement place_quickly(const std::vector<Item>& items, std::int64_t enough_bytes) {
  Placement best = sweep(items);
  const auto consider = [&](Placement other) {
    if (other.arena_bytes < best.arena_bytes) best = std::move(other);
    return best.arena_bytes <= enough_bytes;
  };
  if (best.arena_bytes <= enough_bytes || consider(backward_sweep(items))) return best;
  if (items.size() >= all_orders_below) return best;
  for (const Order& order : usual_orders(items)) {
    if (consider(place_in_order(items, order))) return best;
  }
  return best;
}

Placement place(const std::vector<Item>& items, std::int64_t enough_bytes) {
  const std::int64_t aim = std::max(largest_load(items), enough_bytes);
  Placement best = place_quickly(items, aim);
  if (best.arena_bytes <= aim || items.size() >= all_orders_below) return best;
  const auto consider = [&](Placement other) {
    if (other.arena_bytes < best.arena_bytes) best = std::move(other);
    return best.arena_bytes <= aim;
  };
  const std::vector<Order> orders = usual_orders(items);
  for (const Order& order : orders) {
    if (consider(improved(items, order, aim))) return best;
  }
  for (const Order& order : orders) {
    if (consider(searched(items, order, aim))) return best;
  }
  return best;
}

}  // namespace stint
