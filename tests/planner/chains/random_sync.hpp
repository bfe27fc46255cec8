// Random problems of the synchronous model, whole costs, the same on every machine.
#pragma once

#include <cstdint>
#include <random>

#include "planner/chains/sync_steps.hpp"

namespace stint {

enum class Hierarchy { any, monotone };

class RandomSync {
 public:
  explicit RandomSync(std::uint64_t seed) : random_(seed) {}

  // In [low, high].
  int number(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  // Up to three levels of up to most_slots slots each, with four in all.
  SyncProblem problem(int longest, Hierarchy hierarchy, int most_slots = 2);

 private:
  std::mt19937_64 random_;
};

}  // namespace stint
