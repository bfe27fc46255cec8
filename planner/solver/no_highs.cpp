// In place of highs.cpp where there is none.
#include "planner/solver/highs.hpp"

namespace stint {

bool has_highs() { return false; }
CpAnswer solve_by_highs(const CpModel&, const CpOptions&) { return {}; }

}  // namespace stint
