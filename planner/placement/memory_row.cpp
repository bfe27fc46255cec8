#include "planner/placement/memory_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace stint {
namespace {

std::vector<MemoryId> memories_with_devices(const Platform& platform) {
  std::vector<MemoryId> all;
  for (const Device& device : platform.devices) {
    if (std::find(all.begin(), all.end(), device.memory) == all.end()) all.push_back(device.memory);
  }
  return all;
}

// What works in a memory.
std::vector<std::string> kinds_in(const Platform& platform, MemoryId memory) {
  std::vector<std::string> kinds;
  for (const Device& device : platform.devices) {
    if (device.memory == memory)
      kinds.push_back(device.kind + " " + std::to_string(device.workers));
  }
  return kinds;
}

// The first memory of every sort.
std::vector<MemoryId> of_every_sort(const Platform& platform, const std::vector<MemoryId>& all) {
  std::vector<MemoryId> firsts;
  std::vector<std::vector<std::string>> seen;
  for (const MemoryId memory : all) {
    const auto kinds = kinds_in(platform, memory);
    if (std::find(seen.begin(), seen.end(), kinds) != seen.end()) continue;
    seen.push_back(kinds);
    firsts.push_back(memory);
  }
  return firsts;
}

// So that two prices together are no more than the whole.
void fit(double whole, double& first, double& second) {
  const double sum = first + second;
  if (!(sum > whole)) return;
  first *= whole / sum;
  second *= whole / sum;
}

}  // namespace

MemoryRow::MemoryRow(const Platform& platform, std::vector<Side> sides)
    : platform_(platform),
      transfers_(platform),
      sides_(std::move(sides)),
      side_of_(platform.memories.size(), -1) {
  for (int side = 0; side < this->sides(); ++side) {
    for (const MemoryId memory : sides_[side]) side_of_[memory] = side;
  }
}

std::vector<BorderPrice> MemoryRow::prices(std::int64_t bytes) const {
  std::vector<BorderPrice> prices;
  for (int border = 0; border < borders(); ++border) {
    prices.push_back({transfers_.across(sides_[border], sides_[border + 1], bytes),
                      transfers_.across(sides_[border + 1], sides_[border], bytes)});
  }
  if (sides() == 3) share_ways(bytes, prices);
  return prices;
}

// Memories where nobody works may be counted on either side.
double MemoryRow::link_seconds(int border, int back, std::int64_t bytes) const {
  double longest = 0;
  for (const int nobodys : {0, 1}) {
    std::vector<char> is_from;
    for (const int side : side_of_) {
      const bool is_behind = side < 0 ? nobodys == 1 : side > border;
      is_from.push_back(is_behind == (back == 1));
    }
    longest = std::max(longest, transfers_.busy_seconds(is_from, bytes));
  }
  return longest;
}

// From end to end, and from the middle to both: there a way may be shared up to some memory.
void MemoryRow::share_ways(std::int64_t bytes, std::vector<BorderPrice>& prices) const {
  for (const int back : {0, 1}) {
    const TransferPrice whole =
        transfers_.across(sides_[back == 0 ? 0 : 2], sides_[back == 0 ? 2 : 0], bytes);
    fit(whole.joules, prices[0][back].joules, prices[1][back].joules);
    fit(whole.seconds, prices[0][back].seconds, prices[1][back].seconds);
  }
  fit(joules_to_both_ends(bytes), prices[0][1].joules, prices[1][0].joules);
}

double MemoryRow::joules_to_both_ends(std::int64_t bytes) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < platform_.memories.size(); ++m) {
    const Side at{static_cast<MemoryId>(m)};
    least = std::min(least, transfers_.across(sides_[1], at, bytes).joules +
                                transfers_.across(at, sides_[0], bytes).joules +
                                transfers_.across(at, sides_[2], bytes).joules);
  }
  return least;
}

std::vector<MemoryRow> memory_rows(const Platform& platform) {
  const std::vector<MemoryId> all = memories_with_devices(platform);
  if (all.size() == 1) return {MemoryRow(platform, {all})};
  if (all.size() == 2) return {MemoryRow(platform, {{all[0]}, {all[1]}})};
  std::vector<MemoryRow> rows;
  for (const MemoryId memory : of_every_sort(platform, all)) {
    Side others;
    std::copy_if(all.begin(), all.end(), std::back_inserter(others),
                 [&](MemoryId other) { return other != memory; });
    const auto half = others.begin() + std::ssize(others) / 2;
    rows.emplace_back(platform, std::vector<Side>{{memory}, others});
    MemoryRow three(platform, {{others.begin(), half}, {memory}, {half, others.end()}});
    const auto prices = three.prices(1);
    const bool is_connected = std::all_of(prices.begin(), prices.end(), [](const BorderPrice& p) {
      return std::isfinite(p[0].joules) && std::isfinite(p[1].joules);
    });
    if (is_connected) rows.push_back(std::move(three));
  }
  return rows;
}

}  // namespace stint
