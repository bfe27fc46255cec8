// Numbers about a network of layers that its summaries show: what its layers make and cost, and
// what one training step of it needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/layers/infer.hpp"
#include "models/layers/network.hpp"

namespace stint {

struct LayerFacts {
  std::vector<ValueType> outputs;
  std::int64_t parameters = 0;        // trained, its own
  std::int64_t activation_bytes = 0;  // of its outputs, per sample
  double flops = 0;                   // forward, per sample
};

struct NetworkFacts {
  std::vector<LayerFacts> layers;
  std::int64_t parameters = 0;
  std::int64_t activation_bytes = 0;  // of all layers, per sample
  double flops = 0;                   // of all layers, per sample
  std::int64_t kept_bytes = 0;  // what backward tasks read of what forward tasks made, batch 1
  std::int64_t peak_bytes = 0;  // keeping everything, tasks in listed order, at `batch`
  std::int64_t batch = 1;
  std::int64_t tasks = 0;
};

// Throws InputError if the network cannot be lowered for the batch.
NetworkFacts network_facts(const Network& network, std::int64_t batch);

}  // namespace stint
