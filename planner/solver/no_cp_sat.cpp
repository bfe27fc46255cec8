// In place of cp_sat.cpp where OR-Tools is left out: models are not even written.
#include "planner/solver/linear_program.hpp"

namespace stint {

VariableId CpModel::add_variable(std::int64_t, std::int64_t) {
  return static_cast<VariableId>(variables_++);
}
void CpModel::add_linear(const LinearSum&, std::int64_t, std::int64_t,
                         std::span<const VariableId>) {}
void CpModel::add_clause(std::span<const VariableId>) {}
IntervalId CpModel::add_interval(const LinearSum&, const LinearSum&, const LinearSum&,
                                 std::span<const VariableId>) {
  return static_cast<IntervalId>(constraints_++);
}
void CpModel::add_no_overlap(std::span<const IntervalId>) {}
void CpModel::add_no_overlap_2d(std::span<const IntervalId>, std::span<const IntervalId>) {}
void CpModel::add_cumulative(std::span<const IntervalId>, std::span<const LinearSum>,
                             std::int64_t) {}
void CpModel::add_reservoir(std::span<const Change>, std::int64_t, std::int64_t) {}
void CpModel::add_hint(VariableId, std::int64_t) {}
void CpModel::minimise(const LinearSum&) {}
std::string CpModel::message() const { return bytes_; }

bool has_cp_sat() { return false; }
CpAnswer solve(const CpModel&, const CpOptions&) { return {}; }
std::optional<LinearProgram> linear_program(const CpModel&) { return std::nullopt; }

}  // namespace stint
