#include "planner/addresses/fit.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "planner/addresses/ejection.hpp"
#include "planner/addresses/fit_model.hpp"

namespace stint {
namespace {

constexpr double sections_per_unit = 4e7;  // sections of items looked at
constexpr double first_share = 0.1;        // of the work, for what is soon known to be impossible
constexpr double ejection_share = 0.4;     // of the work, besides
constexpr std::int64_t first_nodes = 500;
constexpr std::int64_t most_nodes = std::int64_t{1} << 40;
constexpr std::int64_t most_cells = 4'000'000;  // sections of all items: more are too many
// Items that live at the same time, for the solver: it makes something of every pair before its
// limit counts.
constexpr std::int64_t most_pairs = 20'000;

// Orders of preference among items: rising ranks by falling measures.
struct Measures {
  std::int64_t load = 0;  // the largest in the item's sections
  std::int64_t bytes = 0;
  std::int64_t length = 0;
  double area = 0;
};
using Preference = std::function<std::array<double, 3>(const Measures&)>;

const std::vector<Preference>& preferences() {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  static const std::vector<Preference> all = {
      [=](const Measures& m) {
        return std::array{number(m.load), number(m.length), m.area};
      },
      [=](const Measures& m) {
        return std::array{number(m.load), m.area, number(m.length)};
      },
      [=](const Measures& m) {
        return std::array{number(m.length), m.area, number(m.load)};
      },
      [=](const Measures& m) {
        return std::array{m.area, number(m.bytes), 0.0};
      },
      [=](const Measures& m) {
        return std::array{number(m.bytes), number(m.length), 0.0};
      }};
  return all;
}

std::vector<std::int64_t> loads(const Spans& spans) {
  std::vector<std::int64_t> load(spans.sections, 0);
  for (const Span& span : spans.spans) {
    for (int s = span.first; s <= span.last; ++s) load[s] += span.bytes;
  }
  return load;
}

// Each item with those that are there when it begins.
std::int64_t pairs_at_once(const Spans& spans) {
  std::vector<std::int64_t> beginning(spans.sections + 1, 0);
  std::vector<std::int64_t> ended(spans.sections + 1, 0);
  for (const Span& span : spans.spans) {
    ++beginning[span.first];
    ++ended[span.last + 1];
  }
  std::int64_t pairs = 0;
  std::int64_t there = 0;
  for (int s = 0; s < spans.sections; ++s) {
    there -= ended[s];
    pairs += beginning[s] * there + beginning[s] * (beginning[s] - 1) / 2;
    there += beginning[s];
  }
  return pairs;
}

std::vector<Measures> measures(const std::vector<Item>& items, const Spans& spans) {
  const auto load = loads(spans);
  std::vector<Measures> all;
  for (std::size_t i = 0; i < spans.spans.size(); ++i) {
    const auto& [bytes, first, last] = spans.spans[i];
    const Item& item = items[spans.item[i]];
    const std::int64_t length = std::int64_t{item.end} - item.begin;
    const auto most = *std::max_element(load.begin() + first, load.begin() + last + 1);
    all.push_back({most, bytes, length, static_cast<double>(bytes) * static_cast<double>(length)});
  }
  return all;
}

// One search and the items in its order.
struct FitAttempt {
  std::vector<int> order;
  FitSearch search;
};

class Attempts {
 public:
  Attempts(const std::vector<Item>& items, const Spans& spans, std::int64_t capacity)
      : items_(items), spans_(spans), capacity_(capacity), measures_(measures(items, spans)) {}

  // Goes on where it ended before.
  Fit run(std::int64_t work, const FitOptions& options) {
    for (; work > 0 && nodes_ < most_nodes; nodes_ *= 2) {
      for (std::size_t a = 0; a < 2 * preferences().size() && work > 0; ++a) {
        if (options.interrupted != nullptr && options.interrupted->load()) return {};
        const FitStatus status = attempt(a).search.run(nodes_, work);
        if (status == FitStatus::fits) return {status, offsets(attempt(a))};
        if (status == FitStatus::impossible) return {status, {}};
      }
    }
    return {};
  }

 private:
  FitAttempt& attempt(std::size_t number) {
    if (number < attempts_.size()) return *attempts_[number];
    const std::size_t count = preferences().size();
    const Preference& preference = preferences()[number % count];
    std::vector<int> order(spans_.spans.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return preference(measures_[a]) > preference(measures_[b]);
    });
    std::vector<Span> ranked;
    for (const int span : order) ranked.push_back(spans_.spans[span]);
    const auto choice = number < count ? SectionChoice::lowest : SectionChoice::fewest_ways;
    attempts_.push_back(std::make_unique<FitAttempt>(
        FitAttempt{order, FitSearch(ranked, spans_.sections, capacity_, choice)}));
    return *attempts_.back();
  }

  std::vector<std::int64_t> offsets(const FitAttempt& attempt) const {
    std::vector<std::int64_t> all(items_.size(), 0);
    for (std::size_t i = 0; i < attempt.order.size(); ++i)
      all[spans_.item[attempt.order[i]]] = attempt.search.offset(static_cast<int>(i));
    return all;
  }

  const std::vector<Item>& items_;
  const Spans& spans_;
  std::int64_t capacity_;
  std::vector<Measures> measures_;
  std::vector<std::unique_ptr<FitAttempt>> attempts_;
  std::int64_t nodes_ = first_nodes;
};

Fit fit_by_ejection(const std::vector<Item>& items, const Spans& spans, std::int64_t capacity,
                    std::int64_t work, const FitOptions& options) {
  const auto found = offsets_by_ejection(spans, capacity, {work, options.interrupted});
  if (!found) return {};
  Fit fit{FitStatus::fits, std::vector<std::int64_t>(items.size(), 0)};
  for (std::size_t i = 0; i < found->size(); ++i) fit.offsets[spans.item[i]] = (*found)[i];
  return fit;
}

}  // namespace

Fit fit(const std::vector<Item>& items, std::int64_t capacity_bytes, const FitOptions& options) {
  if (largest_load(items) > capacity_bytes) return {FitStatus::impossible, {}};
  const Spans spans = spans_of(items);
  std::int64_t cells = 0;
  for (const Span& span : spans.spans) cells += span.last - span.first + 1;
  if (cells > most_cells) return {};
  const double work = options.limit * sections_per_unit;
  const auto share = [&](double part) { return static_cast<std::int64_t>(work * part); };
  Attempts attempts(items, spans, capacity_bytes);
  Fit found = attempts.run(share(first_share), options);
  if (found.status != FitStatus::unknown) return found;
  found = fit_by_ejection(items, spans, capacity_bytes, share(ejection_share), options);
  if (found.status != FitStatus::unknown) return found;
  found = attempts.run(share(1 - first_share), options);
  const bool is_done = found.status != FitStatus::unknown;
  if (is_done || !options.use_solver || pairs_at_once(spans) > most_pairs) return found;
  return fit_by_solver(items, capacity_bytes, options);
}

}  // namespace stint
