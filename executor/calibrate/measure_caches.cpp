#include "executor/calibrate/measure_caches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "executor/calibrate/busy_cores.hpp"
#include "platforms/cores.hpp"
#include "schedules/cache_traffic.hpp"

namespace stint {
namespace {

// Half of it is read, half written.
class Block {
 public:
  explicit Block(std::int64_t bytes)
      : half_(static_cast<std::size_t>(std::max<std::int64_t>(bytes / 8, 1))),
        floats_(2 * half_, 1.0F) {}

  void pass() {
    const float* from = floats_.data();
    float* to = floats_.data() + half_;
    for (std::size_t i = 0; i < half_; ++i) to[i] = 0.5F * from[i] + to[i] * 0.5F;
    std::swap(floats_.front(), floats_[half_]);  // so that no pass can be left out
  }
  double bytes() const { return 8.0 * static_cast<double>(half_); }

 private:
  std::size_t half_;
  std::vector<float> floats_;
};

// The least of several turns: other programs can only add.
double seconds_per_byte(Block& block) {
  constexpr double bytes_of_turn = 64e6;
  constexpr int turns = 7;
  const int passes = std::max(1, static_cast<int>(bytes_of_turn / block.bytes()));
  double least = std::numeric_limits<double>::infinity();
  block.pass();
  for (int turn = 0; turn < turns; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (int pass = 0; pass < passes; ++pass) block.pass();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count() / (passes * block.bytes()));
  }
  return least;
}

std::int64_t share_of(const Cache& cache, const Device& device) {
  return cache.bytes / std::max(1, std::min(cache.shared_by, device.workers));
}

std::vector<Cache> outwards(const Device& device) {
  std::vector<Cache> caches = device.caches;
  std::ranges::sort(caches, {}, &Cache::level);
  return caches;
}

// A schedule of the graph in listed order on the first of the device's workers.
Schedule listed(const Graph& graph, const Device& device) {
  Schedule schedule;
  schedule.platform.nodes.push_back({.name = "n0"});
  schedule.platform.devices.push_back(device);
  schedule.platform.devices[0].node = NodeId{0};
  schedule.graph = graph;
  for (std::size_t task = 0; task < graph.tasks.size(); ++task)
    schedule.actions.push_back({.what = Do::compute, .task = static_cast<TaskId>(task)});
  return schedule;
}

std::vector<double> traffic_in(const Graph& graph, const Device& device) {
  const Schedule schedule = listed(graph, device);
  Worker first;
  first.device = DeviceId{0};
  Lanes lanes;
  lanes.lists.resize(1);
  for (std::size_t i = 0; i < schedule.actions.size(); ++i)
    lanes.lists[0].push_back(static_cast<ActionId>(i));
  return cache_costs(schedule, {first}, lanes, TaskTimes(schedule.platform)).seconds;
}

}  // namespace

MakeWork block_work(std::int64_t bytes, int passes) {
  return [bytes, passes] {
    const auto block = std::make_shared<Block>(bytes);
    return [block, passes] {
      for (int pass = 0; pass < passes; ++pass) block->pass();
    };
  };
}

std::vector<std::int64_t> block_sizes(const Device& device) {
  std::vector<std::int64_t> sizes;
  const std::vector<Cache> caches = outwards(device);
  for (const Cache& cache : caches) {
    const std::int64_t half = share_of(cache, device) / 2;
    if (half > (sizes.empty() ? 0 : 2 * sizes.back())) sizes.push_back(half);
  }
  if (!sizes.empty()) sizes.push_back(4 * share_of(caches.back(), device));
  return sizes;
}

ByteClock byte_clock(int core, bool all_busy) {
  return [core, all_busy](std::int64_t bytes) {
    Cores::here().pin_this_thread(core);
    BusyCores busy(all_busy ? cores_beside(core) : std::vector<int>{}, block_work(bytes, 1));
    Block block(bytes);
    const double seconds = seconds_per_byte(block);
    busy.finish();
    Cores::here().pin_this_thread_to_all();
    return seconds;
  };
}

TimeModel cache_prices_of(const Device& device, const ByteClock& clock) {
  TimeModel prices;
  const std::vector<Cache> caches = outwards(device);
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const std::int64_t within = share_of(caches[i], device) / 2;
    const std::int64_t beyond = i + 1 < caches.size() ? share_of(caches[i + 1], device) / 2
                                                      : 4 * share_of(caches[i], device);
    if (within < 1 || beyond <= 2 * within) continue;
    const double seconds = clock(beyond) - clock(within);
    if (seconds <= 0) continue;
    prices.terms[fmt::format("level{}", caches[i].level)] = Quantity(
        seconds, Basis::measured, fmt::format("passes over {} bytes and over {}", beyond, within));
  }
  return prices;
}

StepClock without_traffic(StepClock clock, const Device& device) {
  return
      [clock = std::move(clock), device](const NetworkStep& step, const LoweredNetwork& lowered) {
        std::vector<double> seconds = clock(step, lowered);
        const std::vector<double> traffic = traffic_in(lowered.graph, device);
        for (std::size_t i = 0; i < traffic.size(); ++i)
          seconds[i] = std::max(seconds[i] - traffic[i], least_own_share * seconds[i]);
        return seconds;
      };
}

}  // namespace stint
