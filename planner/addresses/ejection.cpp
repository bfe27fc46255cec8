#include "planner/addresses/ejection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace stint {
namespace {

constexpr std::int64_t nowhere = -1;
constexpr std::int64_t first_steps = 20;  // of a walk, times the items
constexpr int walks = 4;                  // before they get longer
constexpr std::int64_t most_steps = std::int64_t{1} << 40;
constexpr double fine = 100;  // units in which items are told apart

std::vector<std::vector<int>> beside(const Spans& spans) {
  std::vector<std::vector<int>> living(spans.sections);
  std::vector<std::vector<int>> others(spans.spans.size());
  for (int i = 0; i < static_cast<int>(spans.spans.size()); ++i) {
    const Span& span = spans.spans[i];
    for (int s = span.first; s <= span.last; ++s) living[s].push_back(i);
  }
  for (int i = 0; i < static_cast<int>(spans.spans.size()); ++i) {
    const Span& span = spans.spans[i];
    std::vector<int>& found = others[i];
    for (int s = span.first; s <= span.last; ++s) {
      // Each once: where it begins, or all that are there at first.
      for (const int j : living[s]) {
        if (j != i && (s == span.first || spans.spans[j].first == s)) found.push_back(j);
      }
    }
  }
  return others;
}

double area(const Span& span) {
  return static_cast<double>(span.bytes) * (span.last - span.first + 1);
}

class Ejection {
 public:
  Ejection(const Spans& spans, std::int64_t capacity)
      : spans_(spans.spans), capacity_(capacity), beside_(beside(spans)) {
    const auto whole = static_cast<double>(capacity);
    for (const Span& span : spans_)
      measure_.push_back(
          1 + static_cast<std::int64_t>(fine * std::sqrt(std::sqrt(area(span) / whole))));
    by_area_ = rising(area);
    by_bytes_ = rising([](const Span& span) { return span.bytes; });
  }

  // Whether all items have an offset after so many steps at most.
  bool walk(std::uint64_t seed, std::int64_t steps, std::int64_t& work) {
    random_.seed(seed);
    offsets_.assign(spans_.size(), nowhere);
    hardness_ = measure_;
    open_ = seed % 2 == 0 ? by_area_ : by_bytes_;
    for (; !open_.empty() && steps > 0 && work > 0; --steps) {
      const int item = open_.back();
      open_.pop_back();
      work -= place(item);
    }
    return open_.empty();
  }

  const std::vector<std::int64_t>& offsets() const { return offsets_; }

 private:
  struct Edge {
    std::int64_t at;
    std::int64_t hardness;
  };

  template <typename Measure>
  std::vector<int> rising(const Measure& measure) const {
    std::vector<int> order(spans_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return measure(spans_[a]) < measure(spans_[b]); });
    return order;
  }

  std::int64_t end(int item) const { return offsets_[item] + spans_[item].bytes; }

  // What it cost.
  std::int64_t place(int item) {
    survey(item);
    const auto [offset, hardness] = easiest(spans_[item].bytes);
    if (hardness > 0) {
      hardness_[item] += measure_[item];
      eject(item, offset);
    }
    offsets_[item] = offset;
    return static_cast<std::int64_t>(beside_[item].size() + 2 * places_.size());
  }

  // The lower and upper edges of what lies beside the item, and the offsets at which it would touch
  // one of them or an end of the memory: if it can lie anywhere, then also there.
  void survey(int item) {
    lower_.clear();
    upper_.clear();
    for (const int other : beside_[item]) {
      if (offsets_[other] == nowhere) continue;
      lower_.push_back({offsets_[other], hardness_[other]});
      upper_.push_back({end(other), hardness_[other]});
    }
    const auto is_lower = [](const Edge& a, const Edge& b) { return a.at < b.at; };
    std::sort(lower_.begin(), lower_.end(), is_lower);
    std::sort(upper_.begin(), upper_.end(), is_lower);
    list_places(spans_[item].bytes);
  }

  // Ascending, each once: just above an upper edge or just below a lower one.
  void list_places(std::int64_t bytes) {
    const std::int64_t last = capacity_ - bytes;
    places_ = {0};
    const auto add = [&](std::int64_t place) {
      if (place > places_.back() && place <= last) places_.push_back(place);
    };
    auto lower = lower_.begin();
    auto upper = upper_.begin();
    while (lower != lower_.end() || upper != upper_.end()) {
      const bool is_above =
          lower == lower_.end() || (upper != upper_.end() && upper->at <= lower->at - bytes);
      add(is_above ? (upper++)->at : (lower++)->at - bytes);
    }
    add(last);
  }

  // The lowest place where nobody lies, or one of those that are easiest to clear, and how hard it
  // is.
  std::pair<std::int64_t, std::int64_t> easiest(std::int64_t bytes) {
    std::pair<std::int64_t, std::int64_t> best{0, INT64_MAX};
    std::int64_t here = 0;  // hardness of all that lies at the place
    int equal = 0;
    auto lower = lower_.begin();
    auto upper = upper_.begin();
    for (const std::int64_t place : places_) {
      for (; lower != lower_.end() && lower->at < place + bytes; ++lower) here += lower->hardness;
      for (; upper != upper_.end() && upper->at <= place; ++upper) here -= upper->hardness;
      if (here == 0) return {place, 0};
      if (here < best.second)
        best = {place, here}, equal = 1;
      else if (here == best.second && random_() % ++equal == 0)
        best.first = place;
    }
    return best;
  }

  void eject(int item, std::int64_t offset) {
    const std::int64_t top = offset + spans_[item].bytes;
    for (const int other : beside_[item]) {
      if (offsets_[other] == nowhere || offsets_[other] >= top || end(other) <= offset) continue;
      offsets_[other] = nowhere;
      open_.push_back(other);
    }
  }

  const std::vector<Span>& spans_;
  std::int64_t capacity_;
  std::vector<std::vector<int>> beside_;
  std::vector<std::int64_t> measure_;  // of each item, what a failure to place it adds to hardness
  std::vector<int> by_area_;
  std::vector<int> by_bytes_;
  std::mt19937_64 random_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> hardness_;  // of ejecting an item
  std::vector<int> open_;               // still to be placed, the next one last
  // Of the survey.
  std::vector<Edge> lower_;
  std::vector<Edge> upper_;
  std::vector<std::int64_t> places_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> offsets_by_ejection(const Spans& spans,
                                                             std::int64_t capacity_bytes,
                                                             const EjectionOptions& options) {
  const auto is_larger = [&](const Span& span) { return span.bytes > capacity_bytes; };
  if (std::any_of(spans.spans.begin(), spans.spans.end(), is_larger)) return std::nullopt;
  // Items also hang from the top, and all offsets must be sums of sizes.
  std::int64_t unit = 0;
  for (const Span& span : spans.spans) unit = std::gcd(unit, span.bytes);
  if (unit == 0) return std::vector<std::int64_t>{};
  Ejection ejection(spans, capacity_bytes / unit * unit);
  std::int64_t work = options.work;
  std::int64_t steps = first_steps * static_cast<std::int64_t>(spans.spans.size());
  for (std::uint64_t seed = 0; work > 0 && steps < most_steps; steps *= 2) {
    for (int i = 0; i < walks && work > 0; ++i, ++seed) {
      if (options.interrupted != nullptr && options.interrupted->load()) return std::nullopt;
      if (ejection.walk(seed, steps, work)) return ejection.offsets();
    }
  }
  return std::nullopt;
}

}  // namespace stint
