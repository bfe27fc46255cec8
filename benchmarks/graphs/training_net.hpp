// A network as a graph of one training step: forward tasks as they are added, a loss, and backward
// one task for every forward task, in reverse order. A backward task reads the gradients of those
// who read its forward task's result, and what its kind needs of inputs and result. Costs and sizes
// are whole numbers of microseconds and bytes; every cost is off by up to a fifth, by a seed. Made
// to measure planners, not to be trained.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/graph.hpp"

namespace stint {

enum class Needs { nothing, input, output, both };  // of a backward task, beside gradients

class TrainingNet {
 public:
  TrainingNet(std::string name, std::uint64_t seed) : random_(seed) { graph_.name = name; }

  // The number of the layer that was added.
  int add(const std::vector<int>& inputs, std::int64_t bytes, double microseconds, Needs needs);

  // The last layer is the one that the loss reads.
  Graph finish();

  std::int64_t bytes(int layer) const { return graph_.tensors[layer].bytes; }
  std::uint64_t random(std::uint64_t below) { return random_() % below; }

 private:
  struct Layer {
    std::vector<int> inputs;
    std::vector<int> gradients;  // of those who read it: tensors
    double microseconds = 0;
    Needs needs = Needs::input;
  };
  TensorId add_task(const std::string& name, Phase phase, const std::vector<int>& reads,
                    std::int64_t bytes, double microseconds);
  void add_backward(int layer);

  Graph graph_;
  std::vector<Layer> layers_;
  std::mt19937_64 random_;
};

}  // namespace stint
