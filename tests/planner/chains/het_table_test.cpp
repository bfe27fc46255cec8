#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/persistent_fill.hpp"
#include "tests/planner/chains/het_chains.hpp"

using namespace stint;

namespace {

// The recurrence of persistent_fill.hpp as it stands: every entry, every split, nothing skipped.
class PlainTable {
 public:
  explicit PlainTable(const PersistentMoves& moves)
      : moves_(moves), values_(std::size_t(moves.contexts()) * n() * n() * (moves.top() + 1)) {
    for (int i = n() - 1; i >= 0; --i) {
      const Advance advance = advance_from(moves.chain(), i);
      for (int l = i; l < n(); ++l) {
        for (int context = 0; context < moves.contexts(); ++context) {
          for (std::int64_t m = 0; m <= moves.top(); ++m) {
            values_[place(i, l, context, m)] = value(advance, i, l, context, m);
          }
        }
      }
    }
  }

  double at(int i, int l, int context, std::int64_t m) const {
    return m < 0 ? infinite : values_[place(i, l, context, std::min(m, moves_.top()))];
  }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  int n() const { return moves_.stages(); }

  std::size_t place(int i, int l, int context, std::int64_t m) const {
    return ((std::size_t(context) * n() + i) * n() + l) * (moves_.top() + 1) + m;
  }

  double value(const Advance& advance, int i, int l, int context, std::int64_t m) const {
    if (i == l) return m >= moves_.to_reverse_one(i) ? 0 : infinite;
    double best = infinite;
    for (const Hold& hold : moves_.keep_holds(i, context)) {
      if (m < moves_.to_keep(i, l)) break;
      best = std::min(best, hold.cost + at(i + 1, l, hold.context, m - hold.units));
    }
    for (const Hold& hold : moves_.split_holds(i, context)) {
      const auto& bytes = hold.input_away ? advance.away : advance.holding;
      for (int j = i + 1; j <= l && m >= moves_.to_advance(bytes[j - i - 1], l); ++j) {
        const double right = at(j, l, plain_value, m - hold.units);
        const double cost = moves_.recomputed(i, j) + hold.cost;
        best = std::min(best, cost + right + left(i, j, hold.context, m));
      }
    }
    return best;
  }

  double left(int i, int j, int context, std::int64_t m) const {
    const double left = at(i, j - 1, context, m);
    if (!moves_.goes_on(i, j) || m < moves_.to_go_on(i, j)) return left;
    const double saved = moves_.recomputed(i, j) - moves_.recomputed_going_on(i, j);
    return std::min(left, at(i, j - 2, context, m) - saved);
  }

  const PersistentMoves& moves_;
  std::vector<double> values_;
};

int differences(const PersistentMoves& moves, const PlainTable& plain, int threads) {
  const PersistentRanges ranges(moves);
  const auto table = fill_table<double>(moves, ranges, threads);
  int count = 0;
  for (int l = 0; l < moves.stages(); ++l) {
    for (int i = 0; i <= l; ++i) {
      for (int context = 0; context < moves.contexts(); ++context) {
        for (std::int64_t m = 0; m <= moves.top(); ++m) {
          count += table.at(i, l, context, m) != plain.at(i, l, context, m);
        }
      }
    }
  }
  return count;
}

void require_plain_values(const ChainProblem& problem, const std::vector<SlowMemory>& slow) {
  const ChainArrays chain = arrays_of(problem);
  const std::int64_t memory = full_memory_bytes(chain) / 2;
  const PersistentMoves moves(chain, memory, std::max<std::int64_t>(memory / 150, 1),
                              Rounding::safe, slow);
  const PlainTable plain(moves);
  for (const int threads : {1, 2, 5}) REQUIRE(differences(moves, plain, threads) == 0);
}

}  // namespace

TEST_CASE("the table of a chain has the values of the plain recurrence", "[chains]") {
  Random random(43);
  for (const int stages : {1, 15, 16, 17, 33, 50}) {
    require_plain_values(random_rotor_chain(random, stages, 30), {});
    require_plain_values(random_chain(random, stages, 30), {});
  }
}

TEST_CASE("the table of a chain with a slow memory has the values of the plain recurrence",
          "[chains]") {
  Random random(47);
  for (const int stages : {2, 17, 34}) {
    SlowMemory memory = random_memory(random, 12);
    memory.bytes = 1000;
    require_plain_values(random_rotor_chain(random, stages, 30), {memory});
    require_plain_values(random_chain(random, stages, 30), {memory});
  }
}
