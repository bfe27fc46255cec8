#include "planner/addresses/fit_model.hpp"

#include <algorithm>
#include <numeric>

#include "planner/solver/cp_sat.hpp"

namespace stint {
namespace {

constexpr double solving_per_unit = 0.1;

bool is_apart(const Item& a, std::int64_t a_offset, const Item& b, std::int64_t b_offset) {
  if (a.end <= b.begin || b.end <= a.begin) return true;
  return a_offset + a.bytes <= b_offset || b_offset + b.bytes <= a_offset;
}

// Nobody's word is taken.
bool is_packing(const std::vector<Item>& items, const std::vector<std::int64_t>& offsets,
                std::int64_t capacity) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] + items[i].bytes > capacity) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_apart(items[i], offsets[i], items[j], offsets[j])) return false;
    }
  }
  return true;
}

bool has_place(const Item& item) { return item.bytes > 0 && item.begin < item.end; }

}  // namespace

Fit fit_by_solver(const std::vector<Item>& items, std::int64_t capacity_bytes,
                  const FitOptions& options) {
  if (!has_cp_sat()) return {};
  std::int64_t unit = 0;
  for (const Item& item : items) unit = std::gcd(unit, has_place(item) ? item.bytes : 0);
  if (unit == 0) return {FitStatus::fits, std::vector<std::int64_t>(items.size(), 0)};
  const std::int64_t capacity = capacity_bytes / unit;
  CpModel model;
  std::vector<VariableId> starts(items.size(), VariableId{-1});
  std::vector<IntervalId> times;
  std::vector<IntervalId> places;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!has_place(items[i])) continue;
    const auto& [bytes, begin, end] = items[i];
    starts[i] = model.add_variable(0, capacity - bytes / unit);
    const VariableId top = model.add_variable(bytes / unit, capacity);
    times.push_back(model.add_interval(begin, std::int64_t{end} - begin, end));
    places.push_back(model.add_interval(starts[i], bytes / unit, top));
  }
  model.add_no_overlap_2d(times, places);
  CpOptions how;
  how.work = options.limit * solving_per_unit;
  how.interrupted = options.interrupted;
  const CpAnswer answer = solve(model, how);
  if (answer.status == CpStatus::infeasible) return {FitStatus::impossible, {}};
  if (!answer.has_solution()) return {};
  Fit found{FitStatus::fits, std::vector<std::int64_t>(items.size(), 0)};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (has_place(items[i])) found.offsets[i] = answer.values[starts[i]] * unit;
  }
  return is_packing(items, found.offsets, capacity_bytes) ? found : Fit{};
}

}  // namespace stint
