// The witness that a host implementation of CUDA's libraries is, where a test has put one in place
// of the real ones.
#pragma once

#include "executor/witness.hpp"

namespace stint {

Witness* host_witness();  // null: the libraries are real

}  // namespace stint
