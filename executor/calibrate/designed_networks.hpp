// Small networks of random shapes that together run every op of training: what a machine is
// measured with when it is not known what will be trained on it. Lowered as any other network, so
// that ops, shapes and features are those of plans.
//
// Sizes are log-uniform, within bounds on the work of a layer; those of channels and features are
// mostly round numbers, as in networks that people make. The same seed gives the same networks.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/calibrate/network_step.hpp"

namespace stint {

struct DesignLimits {
  int networks = 0;       // of each family: images, sequences, rows
  double most_flops = 0;  // of the largest matrix product of a network
  double most_bytes = 0;  // of the largest activation
};

std::vector<NetworkStep> designed_networks(const DesignLimits& limits, std::uint64_t seed);

// What models are fitted to, and what they are judged by: a quarter of all networks, drawn from a
// seed of their own by which no feature, width or limit was ever chosen.
struct NetworkDesign {
  std::vector<NetworkStep> fitted;
  std::vector<NetworkStep> held_out;
};
NetworkDesign network_design(const DesignLimits& limits);

// The same for GPUs: larger tasks, since what a kernel costs to start would else be most of it;
// nothing fused, as in plans for them; and only networks whose step fits into so many bytes.
NetworkDesign network_design_for_gpus(const DesignLimits& limits, std::int64_t bytes);

}  // namespace stint
