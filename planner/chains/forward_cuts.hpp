// Where the forward part of a graph can be cut: after which of its tasks a single tensor is all
// that is read later. And which tasks are forward, by their phase, or by what they read in a graph
// that gives none.
#pragma once

#include <vector>

#include "models/graph.hpp"

namespace stint {

// Forward tasks and the others, each in listed order. The step turns at the loss, if there is one:
// it counts as backward, because it runs once.
struct Halves {
  std::vector<TaskId> forward;
  std::vector<TaskId> backward;
};
Halves halves_of(const Graph& graph);

// A place between two forward tasks, or behind the last one.
struct ForwardCut {
  int place = 0;                // so many forward tasks are before it
  TensorId tensor = no_tensor;  // that is read later; none if there are several of 0 bytes
};

// All cuts, ascending. Behind the last forward task counts what the loss reads, or the first
// backward task where there is no loss.
std::vector<ForwardCut> forward_cuts(const Graph& graph, const Halves& halves);

}  // namespace stint
