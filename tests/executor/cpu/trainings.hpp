// Networks that train within moments, plans of them, and trainings by those plans.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/run.hpp"
#include "models/layers/network.hpp"

namespace stint {

// Each of a few thousand parameters: convolutions with batch norm and a shortcut; a transformer
// block.
Network normalised_network();
Network small_transformer();
Network bundled_network(const std::string& name);  // "lenet5"

// A bundled network for images, with all of its layers, but an eighth of their filters and
// features, and images of so many pixels a side.
Network thin_network(const std::string& name, std::int64_t pixels);

// What a plan is made for: workers of one CPU with a disk; memory in % of what keeping all needs.
struct PlanWish {
  Request request;
  int workers = 1;
  int memory_percent = 0;  // 0: no bound
};

// Nothing if there is no plan within the bound.
std::optional<Schedule> planned(const Network& network, const PlanWish& wish);

// No warm-up.
RunReport trained(const Schedule& schedule, std::int64_t steps, RunOptions options = {});

}  // namespace stint
