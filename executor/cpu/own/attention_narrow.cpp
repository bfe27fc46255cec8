#include "executor/cpu/own/attention_loops.hpp"

namespace stint {

AttentionLoops narrow_attention() { return {attend, attend_backward}; }

}  // namespace stint
