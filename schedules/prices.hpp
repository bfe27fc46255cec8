// Which numbers of a platform are prices (watts, joules, rates), and where each comes from. A
// number that a file leaves out is 0 and no price; nor is the speed 1, to which all times refer.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace stint {

struct Price {
  std::string name;  // `n0/cpu idle_watts`
  Quantity quantity;
};

// In the order of the file: nodes, memories, devices and their states, links.
std::vector<Price> prices(const Platform& platform);

// `5 of 9 assumed`, or `none assumed`.
std::string assumed_text(const std::vector<Price>& prices);

}  // namespace stint
