#include "executor/cpu/own/attention_loops.hpp"

namespace stint {

AttentionLoops wide_attention() { return {attend, attend_backward}; }

}  // namespace stint
