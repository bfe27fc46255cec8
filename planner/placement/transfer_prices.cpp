#include "planner/placement/transfer_prices.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "planner/infinity.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

// Bellman and Ford: there are few memories and links.
template <typename Cost>
double cheapest(const Platform& platform, const std::vector<MemoryId>& from,
                const std::vector<MemoryId>& to, Cost cost) {
  std::vector<double> least(platform.memories.size(), infinity);
  for (const MemoryId memory : from) least[memory] = 0;
  for (std::size_t round = 0; round + 1 < least.size(); ++round) {
    for (const Link& link : platform.links)
      least[link.to] = std::min(least[link.to], least[link.from] + cost(link));
  }
  double best = infinity;
  for (const MemoryId memory : to) best = std::min(best, least[memory]);
  return best;
}

}  // namespace

TransferPrice TransferPrices::between(MemoryId from, MemoryId to, std::int64_t bytes) const {
  return across({from}, {to}, bytes);
}

TransferPrice TransferPrices::across(const std::vector<MemoryId>& from,
                                     const std::vector<MemoryId>& to, std::int64_t bytes) const {
  return {
      cheapest(platform_, from, to, [&](const Link& link) { return copy_joules(link, bytes); }),
      cheapest(platform_, from, to, [&](const Link& link) { return copy_seconds(link, bytes); })};
}

TransferPrice TransferPrices::into(MemoryId to, const std::vector<MemoryId>& from,
                                   std::int64_t bytes) const {
  TransferPrice least{infinity, infinity};
  for (const MemoryId other : from) {
    if (other == to) continue;
    const TransferPrice price = between(other, to, bytes);
    least = {std::min(least.joules, price.joules), std::min(least.seconds, price.seconds)};
  }
  return least;
}

double TransferPrices::joules_out(MemoryId from, std::int64_t bytes) const {
  double least = infinity;
  for (const Link& link : platform_.links) {
    if (link.from == from) least = std::min(least, copy_joules(link, bytes));
  }
  return least;
}

double TransferPrices::joules_back(MemoryId to, std::int64_t bytes) const {
  double least = infinity;
  for (const Link& link : platform_.links) {
    if (link.to == to) least = std::min(least, copy_joules(link, bytes));
  }
  return least;
}

// Links of one channel take turns: together they are no faster than the fastest of them.
double TransferPrices::busy_seconds(const std::vector<char>& is_from, std::int64_t bytes) const {
  std::map<std::string, double> fastest;
  double latency = infinity;
  for (std::size_t l = 0; l < platform_.links.size(); ++l) {
    const Link& link = platform_.links[l];
    if (!is_from[link.from] || is_from[link.to]) continue;
    const std::string channel = link.channel.empty() ? " " + std::to_string(l) : link.channel;
    fastest[channel] = std::max<double>(fastest[channel], link.bytes_per_second);
    latency = std::min<double>(latency, link.latency_seconds);
  }
  double bytes_per_second = 0;
  for (const auto& [channel, speed] : fastest) bytes_per_second += speed;
  if (!(bytes_per_second > 0)) return 0;
  const auto channels = static_cast<double>(fastest.size());
  return latency / channels + static_cast<double>(bytes) / bytes_per_second;
}

double TransferPrices::busy_seconds_into(MemoryId memory, std::int64_t bytes) const {
  std::vector<char> is_from(platform_.memories.size(), 1);
  is_from[memory] = 0;
  return busy_seconds(is_from, bytes);
}

double TransferPrices::busy_seconds_out_of(MemoryId memory, std::int64_t bytes) const {
  std::vector<char> is_from(platform_.memories.size(), 0);
  is_from[memory] = 1;
  return busy_seconds(is_from, bytes);
}

}  // namespace stint
