#include "schedules/cache_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "models/segments.hpp"
#include "schedules/time_correction.hpp"

namespace stint {
namespace {

// A worker's share of a cache.
struct CacheShare {
  int level = 0;
  double bytes = 0;
  double joules_per_byte = 0;  // that is not in it
};

std::vector<CacheShare> shares_of(const Device& device) {
  std::vector<CacheShare> shares;
  for (const Cache& cache : device.caches) {
    const int sharers = std::max(1, std::min<int>(cache.shared_by, device.workers));
    shares.push_back(
        {cache.level, static_cast<double>(cache.bytes) / sharers, cache.joules_per_byte});
  }
  return shares;
}

// What a task has to fetch from beyond a cache, or seconds for each of it.
struct Missed {
  double bytes = 0;
  double operands = 0;
  double code = 0;
};
using MissedByShare = std::vector<Missed>;

double price_in(const TimeModel& model, const std::string& term) {
  const auto price = model.terms.find(term);
  return price == model.terms.end() ? 0 : price->second.value;
}

bool has_cache_terms(const TimeModel& model) {
  return std::any_of(model.terms.begin(), model.terms.end(),
                     [](const auto& term) { return is_cache_term(term.first); });
}

// By the share: of what no model of its own prices, and of an op whose model does.
MissedByShare common_prices(const Device& device, const std::vector<CacheShare>& shares) {
  MissedByShare prices(shares.size());
  const auto model = device.time_model.find(cache_prices);
  if (model == device.time_model.end()) return prices;
  for (std::size_t i = 0; i < shares.size(); ++i)
    prices[i].bytes = price_in(model->second, fmt::format("level{}", shares[i].level));
  return prices;
}

MissedByShare own_prices(const TimeModel& model, const std::vector<CacheShare>& shares) {
  MissedByShare prices;
  for (const CacheShare& share : shares)
    prices.push_back({price_in(model, missed_bytes_term(share.level)),
                      price_in(model, missed_operands_term(share.level)),
                      price_in(model, missed_code_term(share.level))});
  return prices;
}

bool prices_caches(const Device& device) {
  if (device.caches.empty()) return false;
  for (const Cache& cache : device.caches) {
    if (cache.joules_per_byte > 0) return true;
  }
  for (const Missed& price : common_prices(device, shares_of(device))) {
    if (price.bytes > 0) return true;
  }
  return std::any_of(device.time_model.begin(), device.time_model.end(),
                     [](const auto& entry) { return has_cache_terms(entry.second); });
}

// What tasks pay on a device. Models are looked up once. Without times all state their own.
class MissedPrices {
 public:
  MissedPrices(const Schedule& schedule, DeviceId device, const TaskTimes* times)
      : schedule_(schedule),
        device_(device),
        times_(times),
        shares_(shares_of(schedule.platform.devices[device])),
        common_(common_prices(schedule.platform.devices[device], shares_)) {}

  const std::vector<CacheShare>& shares() const { return shares_; }

  double joules(const MissedByShare& missed) const {
    double joules = 0;
    for (std::size_t i = 0; i < missed.size(); ++i)
      joules += shares_[i].joules_per_byte * missed[i].bytes;
    return joules;
  }

  double seconds(ActionId id, const MissedByShare& missed) {
    const Task& task = schedule_.graph.tasks[schedule_.actions[id].task];
    const TimeModel* const model = times_ == nullptr ? nullptr : times_->model_of(task, device_);
    if (model == nullptr || !has_own_prices(*model)) return priced(missed, common_);
    return priced(missed, by_model_.at(model)) * correction_factor(task, model->correction);
  }

 private:
  static double priced(const MissedByShare& missed, const MissedByShare& prices) {
    double seconds = 0;
    for (std::size_t i = 0; i < missed.size(); ++i) {
      seconds += prices[i].bytes * missed[i].bytes + prices[i].operands * missed[i].operands +
                 prices[i].code * missed[i].code;
    }
    return seconds;
  }

  bool has_own_prices(const TimeModel& model) {
    const auto [found, is_new] = by_model_.try_emplace(&model);
    if (is_new && has_cache_terms(model)) found->second = own_prices(model, shares_);
    return !found->second.empty();
  }

  const Schedule& schedule_;
  DeviceId device_;
  const TaskTimes* times_;
  std::vector<CacheShare> shares_;
  MissedByShare common_;
  std::map<const TimeModel*, MissedByShare> by_model_;  // empty: those of all
};

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

// Follows workers through their lists of tasks.
class CacheTraffic {
 public:
  explicit CacheTraffic(const Graph& graph)
      : graph_(graph),
        segments_(segments(graph)),
        last_place_(segments_.count()),
        last_list_(segments_.count(), 0) {
    std::map<std::string, std::size_t> ops;
    for (const Task& task : graph.tasks)
      op_.push_back(ops.try_emplace(task.op, ops.size()).first->second);
    last_run_.resize(ops.size() + graph.tasks.size());
  }

  // Two steps, of which the second counts: `visit(i, missed)` for the i-th task of the list.
  template <typename Visit>
  void follow(const std::vector<TaskId>& list, const std::vector<CacheShare>& shares, Visit visit) {
    ++list_;
    std::size_t touches = 0;
    for (const TaskId task : list) {
      for_each_operand(task, [&](TensorId tensor) {
        const SegmentRange range = segments_.of_tensor[tensor];
        touches += static_cast<std::size_t>(range.end - range.begin);
      });
    }
    RecentBytes recent(2 * touches);
    place_ = 0;
    last_run_.assign(last_run_.size(), {});
    MissedByShare missed(shares.size());
    for (const bool counts : {false, true}) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        std::fill(missed.begin(), missed.end(), Missed{});
        look_for_code(list[i], shares, recent, missed);
        for_each_operand(list[i], [&](TensorId tensor) { touch(tensor, shares, recent, missed); });
        for (const std::size_t code : code_of(list[i])) last_run_[code] = place_;
        if (counts) visit(i, missed);
      }
    }
  }

 private:
  double bytes(int s) const {
    return static_cast<double>(segments_.end_bytes[s] - segments_.begin_bytes[s]);
  }

  template <typename Visit>
  void for_each_operand(TaskId id, Visit visit) const {
    const Task& task = graph_.tasks[id];
    for (const auto* tensors : {&task.reads, &task.updates, &task.writes}) {
      for (const TensorId tensor : *tensors) visit(tensor);
    }
  }

  // What a task needs beside its operands: the code of its op, and what says where its own operands
  // are. Both are small, and known by when they were last used.
  std::array<std::size_t, 2> code_of(TaskId task) const {
    return {op_[task], last_run_.size() - graph_.tasks.size() + static_cast<std::size_t>(task)};
  }

  void look_for_code(TaskId task, const std::vector<CacheShare>& shares, const RecentBytes& recent,
                     MissedByShare& missed) const {
    for (const std::size_t code : code_of(task)) {
      const double since =
          last_run_[code] ? recent.from(*last_run_[code]) : std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < shares.size(); ++i) {
        if (since > shares[i].bytes) missed[i].code += 1;
      }
    }
  }

  // Adds what the worker has to fetch of the tensor; it is the last that it touched then.
  void touch(TensorId tensor, const std::vector<CacheShare>& shares, RecentBytes& recent,
             MissedByShare& missed) {
    const SegmentRange range = segments_.of_tensor[tensor];
    double farthest = 0;
    for (int s = range.begin; s < range.end; ++s) {
      const double since = touch(s, recent);
      if (bytes(s) > 0) farthest = std::max(farthest, since);
      for (std::size_t i = 0; i < shares.size(); ++i) {
        if (since > shares[i].bytes) missed[i].bytes += bytes(s);
      }
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (farthest > shares[i].bytes) missed[i].operands += 1;
    }
  }

  // Distinct bytes that the worker has touched since it touched the segment, and those of it.
  double touch(int s, RecentBytes& recent) {
    const bool again = last_list_[s] == list_;
    const double since =
        again ? recent.from(last_place_[s]) : std::numeric_limits<double>::infinity();
    if (again) recent.add(last_place_[s], -bytes(s));
    recent.add(place_, bytes(s));
    last_place_[s] = place_++;
    last_list_[s] = list_;
    return since;
  }

  const Graph& graph_;
  Segments segments_;
  std::vector<std::size_t> last_place_;  // by segment: where it was touched last
  std::vector<int> last_list_;           // and in which list
  int list_ = 0;
  std::size_t place_ = 0;
  std::vector<std::size_t> op_;                       // by task: the number of its op
  std::vector<std::optional<std::size_t>> last_run_;  // places, by op, then by task
};

}  // namespace

std::string missed_bytes_term(int level) { return fmt::format("level{}_bytes", level); }
std::string missed_operands_term(int level) { return fmt::format("level{}_operands", level); }
std::string missed_code_term(int level) { return fmt::format("level{}_code", level); }

bool is_cache_term(const std::string& name) {
  return name.starts_with("level") &&
         (name.ends_with("_bytes") || name.ends_with("_operands") || name.ends_with("_code"));
}

bool prices_caches(const Platform& platform) {
  return std::any_of(platform.devices.begin(), platform.devices.end(),
                     [](const Device& device) { return prices_caches(device); });
}

namespace {

// Calls visit(action, prices, missed) for every compute of workers whose caches are priced.
template <typename Visit>
void for_each_priced(const Schedule& schedule, const std::vector<Worker>& workers,
                     const Lanes& lanes, const TaskTimes* times, Visit visit) {
  CacheTraffic traffic(schedule.graph);
  for (std::size_t w = 0; w < workers.size(); ++w) {
    if (workers[w].is_link() || !prices_caches(schedule.platform.devices[workers[w].device]))
      continue;
    std::vector<ActionId> computes;
    std::vector<TaskId> tasks;
    for (const ActionId id : lanes.lists[w]) {
      if (schedule.actions[id].what != Do::compute) continue;
      computes.push_back(id);
      tasks.push_back(schedule.actions[id].task);
    }
    MissedPrices prices(schedule, DeviceId{workers[w].device}, times);
    traffic.follow(tasks, prices.shares(), [&](std::size_t i, const MissedByShare& missed) {
      visit(computes[i], prices, missed);
    });
  }
}

CacheCosts cache_costs(const Schedule& schedule, const std::vector<Worker>& workers,
                       const Lanes& lanes, const TaskTimes* times) {
  CacheCosts costs;
  if (!prices_caches(schedule.platform)) return costs;
  costs.seconds.assign(schedule.actions.size(), 0);
  costs.joules.assign(schedule.actions.size(), 0);
  for_each_priced(schedule, workers, lanes, times,
                  [&](ActionId id, MissedPrices& prices, const MissedByShare& missed) {
                    costs.seconds[id] = prices.seconds(id, missed);
                    costs.joules[id] = prices.joules(missed);
                  });
  return costs;
}

}  // namespace

CacheCosts cache_costs(const Schedule& schedule, const std::vector<Worker>& workers,
                       const Lanes& lanes, const TaskTimes& times) {
  return cache_costs(schedule, workers, lanes, &times);
}

std::vector<double> cache_seconds_if_stated(const Schedule& schedule,
                                            const std::vector<Worker>& workers,
                                            const Lanes& lanes) {
  return cache_costs(schedule, workers, lanes, nullptr).seconds;
}

std::vector<double> cache_joules(const Schedule& schedule, const std::vector<Worker>& workers,
                                 const Lanes& lanes) {
  return cache_costs(schedule, workers, lanes, nullptr).joules;
}

std::vector<std::vector<double>> missed_bytes(const Schedule& schedule,
                                              const std::vector<Worker>& workers,
                                              const Lanes& lanes) {
  std::vector<std::vector<double>> bytes;
  if (!prices_caches(schedule.platform)) return bytes;
  bytes.resize(schedule.actions.size());
  for_each_priced(schedule, workers, lanes, nullptr,
                  [&](ActionId id, const MissedPrices&, const MissedByShare& missed) {
                    for (const Missed& of_cache : missed) bytes[id].push_back(of_cache.bytes);
                  });
  return bytes;
}

std::vector<std::map<std::string, double>> cache_features(const Graph& graph,
                                                          const Device& device) {
  std::vector<std::map<std::string, double>> features(graph.tasks.size());
  const std::vector<CacheShare> shares = shares_of(device);
  std::vector<TaskId> listed;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) listed.push_back(static_cast<TaskId>(t));
  CacheTraffic(graph).follow(listed, shares, [&](std::size_t i, const MissedByShare& missed) {
    for (std::size_t level = 0; level < shares.size(); ++level) {
      features[i][missed_bytes_term(shares[level].level)] = missed[level].bytes;
      features[i][missed_operands_term(shares[level].level)] = missed[level].operands;
      features[i][missed_code_term(shares[level].level)] = missed[level].code;
    }
  });
  return features;
}

}  // namespace stint
