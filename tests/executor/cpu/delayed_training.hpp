// Training with real kernels, with something before every action, in its thread.
#pragma once

#include "tests/executor/replays.hpp"

namespace stint {

// No warm-up, generated samples. Not judged.
RunReport trained_with(const Schedule& schedule, std::int64_t steps, const BeforeAction& before);

}  // namespace stint
