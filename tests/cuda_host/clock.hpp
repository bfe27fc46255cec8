// Vector clocks (Mattern 1989): what has happened before what. The agents are the threads of the
// host and every stream; a clock tells, for each agent, how many of its operations happened before.
// Threads are ordered by nothing but what a program says of its own synchronisation (kernels.hpp):
// that one call happens to come before another orders nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_host {

enum AgentId : int {};

class VectorClock {
 public:
  std::uint64_t at(AgentId agent) const {
    return static_cast<std::size_t>(agent) < counts_.size() ? counts_[agent] : 0;
  }
  std::uint64_t tick(AgentId agent) { return ++grown_to(agent); }
  void join(const VectorClock& other) {
    for (int agent = 0; agent < static_cast<int>(other.counts_.size()); ++agent) {
      auto& count = grown_to(AgentId{agent});
      if (other.counts_[agent] > count) count = other.counts_[agent];
    }
  }

 private:
  std::uint64_t& grown_to(AgentId agent) {
    if (static_cast<std::size_t>(agent) >= counts_.size()) counts_.resize(agent + 1);
    return counts_[agent];
  }
  std::vector<std::uint64_t> counts_;
};

}  // namespace cuda_host
