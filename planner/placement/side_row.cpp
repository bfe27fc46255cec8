#include "planner/placement/two_sides.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "planner/placement/least_cut.hpp"

namespace stint {
namespace {

constexpr double most_units = 0x1p40;  // of everything together
constexpr std::int64_t without_limit = std::int64_t{1} << 50;

// Side 0 is the source's.
class Cutting {
 public:
  explicit Cutting(const TwoSides& problem)
      : problem_(problem),
        nodes_(static_cast<int>(problem.cost.size())),
        network_(static_cast<int>(size())) {
    set_unit();
    for (int node = 0; node < nodes_; ++node) add_costs(node);
    for (const SideCrossing& crossing : problem.crossings) add_crossing(crossing);
  }

  SideChoice cut() {
    const std::int64_t flow = network_.cut(source(), sink());
    SideChoice choice{(static_cast<double>(flow) * unit_ + always_) * (1 - 1e-12), {}};
    for (int node = 0; node < nodes_; ++node)
      choice.side.push_back(network_.is_on_source_side(node) ? 0 : 1);
    return choice;
  }

 private:
  std::size_t size() const { return problem_.cost.size() + 2 * problem_.crossings.size() + 2; }
  int source() const { return static_cast<int>(size()) - 2; }
  int sink() const { return static_cast<int>(size()) - 1; }

  void set_unit() {
    double total = 0;
    const auto add = [&](double cost) { total += std::isfinite(cost) ? cost : 0; };
    for (const auto& cost : problem_.cost) add(cost[0]), add(cost[1]);
    for (const SideCrossing& crossing : problem_.crossings) {
      for (const int side : {0, 1}) {
        add(crossing.once[side]);
        for (const double cost : crossing.each[side]) add(cost);
      }
    }
    unit_ = std::max(total, 1e-300) / most_units;
  }

  std::int64_t units(double cost) const {
    return std::isfinite(cost) ? static_cast<std::int64_t>(cost / unit_) : without_limit;
  }

  // What a node costs in any case need not flow.
  void add_costs(int node) {
    const auto& [first, second] = problem_.cost[node];
    const double least = std::min(first, second);
    always_ += least;
    network_.add_arc(source(), node, units(second - least));
    network_.add_arc(node, sink(), units(first - least));
  }

  // A node between: it is on the side of `from` only if all that want it are.
  void add_crossing(const SideCrossing& crossing) {
    const int between = nodes_ + 2 * static_cast<int>(&crossing - problem_.crossings.data());
    network_.add_arc(crossing.from, between, units(crossing.once[0]));
    network_.add_arc(between + 1, crossing.from, units(crossing.once[1]));
    for (std::size_t i = 0; i < crossing.to.size(); ++i) {
      if (crossing.once[0] > 0) network_.add_arc(between, crossing.to[i], without_limit);
      if (crossing.once[1] > 0) network_.add_arc(crossing.to[i], between + 1, without_limit);
      if (!crossing.each[0].empty())
        network_.add_arc(crossing.from, crossing.to[i], units(crossing.each[0][i]));
      if (!crossing.each[1].empty())
        network_.add_arc(crossing.to[i], crossing.from, units(crossing.each[1][i]));
    }
  }

  const TwoSides& problem_;
  int nodes_;
  CutNetwork network_;
  double unit_ = 1;
  double always_ = 0;
};

}  // namespace

SideChoice cheapest_sides(const TwoSides& problem) { return Cutting(problem).cut(); }

}  // namespace stint
