#include "planner/placement/side_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "planner/placement/least_cut.hpp"

namespace stint {
namespace {

constexpr double most_units = 0x1p40;  // of everything together
constexpr std::int64_t without_limit = std::int64_t{1} << 50;

// A node is on the source's side of a border if it is before it.
class Cutting {
 public:
  explicit Cutting(const SideRow& row)
      : row_(row),
        borders_(row.sides - 1),
        nodes_(static_cast<int>(row.cost.size())),
        network_(size()) {
    set_unit();
    for (int node = 0; node < nodes_; ++node) add_costs(node);
    for (std::size_t c = 0; c < row.crossings.size(); ++c) {
      for (int border = 0; border < borders_; ++border) add_crossing(static_cast<int>(c), border);
    }
  }

  SideChoice cut() {
    const std::int64_t flow = network_.cut(source(), sink());
    SideChoice choice{(static_cast<double>(flow) * unit_ + always_) * (1 - 1e-12), {}};
    for (int node = 0; node < nodes_; ++node) choice.side.push_back(side_of(node));
    return choice;
  }

 private:
  int size() const { return borders_ * (nodes_ + 2 * static_cast<int>(row_.crossings.size())) + 2; }
  int source() const { return size() - 2; }
  int sink() const { return size() - 1; }
  int at(int node, int border) const { return border * nodes_ + node; }
  // The first of two nodes, one for each direction.
  int between(int crossing, int border) const {
    return borders_ * nodes_ + 2 * (crossing * borders_ + border);
  }

  char side_of(int node) const {
    char side = 0;
    while (side < borders_ && !network_.is_on_source_side(at(node, side))) ++side;
    return side;
  }

  void set_unit() {
    double total = 0;
    const auto add = [&](double cost) { total += std::isfinite(cost) ? cost : 0; };
    for (const auto& costs : row_.cost) std::for_each(costs.begin(), costs.end(), add);
    for (const SideCrossing& crossing : row_.crossings) {
      for (const BorderCost& border : crossing.borders) {
        for (const int side : {0, 1}) {
          add(border.once[side]);
          std::for_each(border.each[side].begin(), border.each[side].end(), add);
        }
      }
    }
    unit_ = std::max(total, 1e-300) / most_units;
  }

  std::int64_t units(double cost) const {
    return std::isfinite(cost) ? static_cast<std::int64_t>(cost / unit_) : without_limit;
  }

  // On a side: behind all borders up to it and before the others. What a node costs in any case
  // need not flow.
  void add_costs(int node) {
    const auto& costs = row_.cost[node];
    const double least = *std::min_element(costs.begin(), costs.end());
    always_ += least;
    for (int side = 0; side < row_.sides; ++side) {
      const int before = side == borders_ ? source() : at(node, side);
      const int behind = side == 0 ? sink() : at(node, side - 1);
      network_.add_arc(before, behind, units(costs[side] - least));
      if (side > 0 && side < borders_) network_.add_arc(behind, before, without_limit);
    }
  }

  // A node between: it is on the side of `from` only if all that want it are.
  void add_crossing(int index, int border) {
    const SideCrossing& crossing = row_.crossings[index];
    const BorderCost& cost = crossing.borders[border];
    const int there = at(crossing.from, border);
    const int shared = between(index, border);
    network_.add_arc(there, shared, units(cost.once[0]));
    network_.add_arc(shared + 1, there, units(cost.once[1]));
    for (std::size_t i = 0; i < crossing.to.size(); ++i) {
      const int to = at(crossing.to[i], border);
      if (cost.once[0] > 0) network_.add_arc(shared, to, without_limit);
      if (cost.once[1] > 0) network_.add_arc(to, shared + 1, without_limit);
      if (!cost.each[0].empty()) network_.add_arc(there, to, units(cost.each[0][i]));
      if (!cost.each[1].empty()) network_.add_arc(to, there, units(cost.each[1][i]));
    }
  }

  const SideRow& row_;
  int borders_;
  int nodes_;
  CutNetwork network_;
  double unit_ = 1;
  double always_ = 0;
};

}  // namespace

SideChoice cheapest_sides(const SideRow& row) { return Cutting(row).cut(); }

}  // namespace stint
