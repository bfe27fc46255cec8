#include "planner/routes.hpp"

#include <limits>
#include <set>
#include <utility>

#include "schedules/cost.hpp"

namespace stint {

const std::vector<LinkId>& Routes::route(MemoryId from, MemoryId to) {
  auto known = known_.find(from);
  if (known == known_.end()) known = known_.emplace(from, routes_from(from)).first;
  return known->second[to];
}

std::vector<std::vector<LinkId>> Routes::routes_from(MemoryId from) const {
  const std::size_t memories = platform_.memories.size();
  std::vector<std::vector<int>> leaving(memories);
  for (std::size_t l = 0; l < platform_.links.size(); ++l)
    leaving[platform_.links[l].from].push_back(static_cast<int>(l));

  std::vector<double> seconds(memories, std::numeric_limits<double>::infinity());
  std::vector<std::vector<LinkId>> routes(memories);
  std::set<std::pair<double, int>> open{{0.0, from}};
  seconds[from] = 0;
  while (!open.empty()) {
    const auto [so_far, memory] = *open.begin();
    open.erase(open.begin());
    for (const int l : leaving[memory]) {
      const Link& link = platform_.links[l];
      const double arrival = so_far + copy_seconds(link, typical_bytes_);
      if (arrival >= seconds[link.to]) continue;
      open.erase({seconds[link.to], link.to});
      open.emplace(arrival, link.to);
      seconds[link.to] = arrival;
      routes[link.to] = routes[memory];
      routes[link.to].push_back(static_cast<LinkId>(l));
    }
  }
  return routes;
}

}  // namespace stint
