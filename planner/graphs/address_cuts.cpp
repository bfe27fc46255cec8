#include "planner/graphs/address_cuts.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "planner/addresses/obstacle.hpp"
#include "planner/graphs/sequence_items.hpp"

namespace stint {
namespace {

constexpr int first_reach = 4;        // steps to both sides
constexpr double narrow_share = 0.1;  // of the limit, for each search that narrows a stretch
constexpr std::size_t most_cuts = 12;

std::vector<Item> measured_items(const DeviceGraph& graph, const TaskSequence& sequence) {
  SequenceMeter meter(graph, std::vector<double>(graph.tasks.size(), 0.0));
  meter.measure(sequence);
  return items_of(graph, meter, sequence);
}

class Cutting {
 public:
  Cutting(const DeviceGraph& graph, const TaskSequence& sequence, const AddressCutOptions& options)
      : capacity_(graph.capacity_bytes),
        options_(options),
        items_(measured_items(graph, sequence)),
        load_(sequence.size() + 1, 0),
        position_(sequence.size() + 1, 0) {
    for (const Item& item : items_) {
      for (int step = item.begin; step < item.end; ++step) load_[step] += item.bytes;
      unit_ = std::gcd(unit_, item.bytes);
    }
    std::vector<bool> ran(graph.tasks.size(), false);
    for (std::size_t step = 0; step < sequence.size(); ++step) {
      position_[step + 1] = position_[step] + (ran[sequence[step]] ? 0 : 1);
      ran[sequence[step]] = true;
    }
  }

  std::vector<AddressCut> cuts() {
    for (const int step : crowded_steps()) {
      const bool is_known = std::any_of(found_.begin(), found_.end(), [&](const Obstacle& other) {
        return other.begin <= step && step < other.end;
      });
      if (is_known || found_.size() == most_cuts || is_interrupted()) continue;
      if (auto obstacle = obstacle_around(step)) found_.push_back(*obstacle);
    }
    std::vector<AddressCut> all;
    for (const Obstacle& obstacle : found_) all.push_back(cut(obstacle));
    return all;
  }

 private:
  bool is_interrupted() const {
    return options_.interrupted != nullptr && options_.interrupted->load();
  }

  // Of every item that sticks out, where most is live beside it; those with most first.
  std::vector<int> crowded_steps() const {
    const Placement placement = place(items_);
    std::vector<int> steps;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (placement.offsets[i] + items_[i].bytes <= capacity_) continue;
      const auto first = load_.begin() + items_[i].begin;
      const auto most = std::max_element(first, load_.begin() + items_[i].end);
      steps.push_back(static_cast<int>(most - load_.begin()));
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    std::stable_sort(steps.begin(), steps.end(), [&](int a, int b) { return load_[a] > load_[b]; });
    return steps;
  }

  std::optional<Obstacle> obstacle_around(int step) const {
    const FitOptions whole{options_.limit, false, options_.interrupted};
    const FitOptions part{options_.limit * narrow_share, false, options_.interrupted};
    const int steps = static_cast<int>(load_.size());
    for (int reach = first_reach; reach / 2 < steps; reach *= 2) {
      const int begin = std::max(step - reach, 0);
      const int end = std::min(step + reach + 1, steps);
      const std::vector<Item> items = within(begin, end);
      const FitStatus status = fit(items, capacity_, whole).status;
      if (status == FitStatus::fits) continue;
      const bool is_proved = status == FitStatus::impossible;
      const auto found = is_proved ? find_obstacle(items, capacity_, part) : std::nullopt;
      return found.value_or(Obstacle{{}, begin, end});
    }
    return std::nullopt;
  }

  std::vector<Item> within(int begin, int end) const {
    std::vector<Item> items;
    for (const Item& item : items_) {
      if (item.begin < end && begin < item.end)
        items.push_back({item.bytes, std::max(item.begin, begin), std::min(item.end, end)});
    }
    return items;
  }

  AddressCut cut(const Obstacle& obstacle) const {
    const auto most =
        *std::max_element(load_.begin() + obstacle.begin, load_.begin() + obstacle.end);
    const int last = position_.back() - 1;  // after it only results are there
    const int begin = std::min(position_[obstacle.begin], last);
    const int end = std::min(position_[obstacle.end - 1], last) + 1;
    return {begin, end, std::midpoint(begin, end), capacity_ - most + unit_};
  }

  std::int64_t capacity_;
  const AddressCutOptions& options_;
  std::vector<Item> items_;
  std::vector<std::int64_t> load_;  // by step
  std::vector<int> position_;       // by step: in the order of first runs
  std::int64_t unit_ = 0;           // all sizes are multiples of it
  std::vector<Obstacle> found_;
};

}  // namespace

std::vector<AddressCut> address_cuts(const DeviceGraph& graph, const TaskSequence& sequence,
                                     const AddressCutOptions& options) {
  return Cutting(graph, sequence, options).cuts();
}

}  // namespace stint
