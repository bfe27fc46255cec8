// Graphs to measure planners on that no planner was made for: training steps of networks of the
// usual shapes, and layered graphs at random, which have no gradients. By name, such as "resnet50";
// the same name gives the same graph.
#pragma once

#include <string>
#include <vector>

#include "models/graph.hpp"

namespace stint {

// Those that a few seconds are enough for, and the large ones.
std::vector<std::string> made_graph_names();

// Throws InputError if there is no such graph.
Graph made_graph(const std::string& name);

}  // namespace stint
