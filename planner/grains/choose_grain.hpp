// Chooses how a network is cut: what is too long is cut along its leaves, what is too short stays
// in larger pieces, so that the workers of the platform finish together. Leaves are the request's,
// so the choice never changes a bit of the result.
//
// Candidates are whole layers, pieces of 1, 2, 4… leaves, runs of neighbouring leaves as long as
// each worker's share (split.hpp), and for each layer the number of pieces that its own overhead
// makes best (granularity.hpp); large parameters are summed and updated in ranges, or whole. From
// the best of them one layer at a time is tried in larger and smaller pieces. The simulator prices
// each as keep-all would plan it; the first of the best that fits wins. Nothing is proved.
//
// A counted number of tasks is priced, so it takes seconds at most, and the same input gives the
// same cuts.
#pragma once

#include <string>

#include "models/layers/network.hpp"
#include "planner/problem.hpp"

namespace stint {

// No cuts if there is one leaf, or one worker and no price of caches, or if nothing fits: then
// layers had better be whole and be computed again.
Grain choose_grain(const Network& network, const Platform& platform, const Request& request,
                   const std::string& model_file);

}  // namespace stint
