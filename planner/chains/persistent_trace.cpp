#include "planner/chains/persistent_trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/chains/persistent_fill.hpp"

namespace stint {
namespace {

struct Choice {
  Hold hold;
  int split = 0;  // j; 0: keep
};

template <class Cost>
class Tracer {
 public:
  Tracer(const PersistentMoves& moves, const PersistentTable<Cost>& table)
      : moves_(moves), chain_(moves.chain()), table_(table) {}

  void reverse(int i, int l, int context, std::int64_t m) {
    m = std::min(m, moves_.top());
    if (i == l) {
      if (chain_.needs_forward[i]) forward(i, true);
      add(ChainAction::backward, i);
      return;
    }
    const Choice choice = best(i, l, context, m);
    if (choice.split == 0) {
      keep(i, l, context, m, choice.hold);
    } else {
      split(i, l, context, m, choice);
    }
  }

  ChainOperations take() { return std::move(operations_); }

 private:
  Choice best(int i, int l, int context, std::int64_t m) const {
    Choice choice;
    Cost least = std::numeric_limits<Cost>::infinity();
    const auto offer = [&](Cost cost, const Hold& hold, int j) {
      if (cost < least) least = cost, choice = {hold, j};
    };
    if (m >= moves_.to_keep(i, l)) {
      for (const Hold& hold : moves_.keep_holds(i, context)) {
        const Cost cost = static_cast<Cost>(hold.cost);
        offer(cost + table_.at(i + 1, l, hold.context, m - hold.units), hold, 0);
      }
    }
    if (least == 0) return choice;
    const Advance advance = advance_from(chain_, i);
    for (const Hold& hold : moves_.split_holds(i, context)) {
      const auto& bytes = hold.input_away ? advance.away : advance.holding;
      for (int j = i + 1; j <= l && moves_.to_advance(bytes[j - i - 1], l) <= m; ++j) {
        const Cost right = table_.at(j, l, plain_value, m - hold.units);
        const Cost left = table_.left_of_split(i, j, hold.context, m);
        offer(table_.split_cost(i, j, hold) + right + left, hold, j);
      }
    }
    return choice;
  }

  void keep(int i, int l, int context, std::int64_t m, const Hold& hold) {
    forward(i, true);
    if (hold.input_away && !(context & also_slow)) send_input(i, context);
    if (hold.tape_away) send(true, i);
    reverse(i + 1, l, hold.context, m - hold.units);
    if (hold.tape_away) fetch(true, i);
    if (hold.input_away) fetch_input(i, context);
    add(ChainAction::backward, i);
  }

  void split(int i, int l, int context, std::int64_t m, const Choice& choice) {
    const int j = choice.split;
    const bool away = choice.hold.input_away;
    forward(i, false);
    if (away && !(context & also_slow)) send_input(i, context);
    for (int k = i + 1; k < j; ++k) forward(k, false);
    reverse(j, l, plain_value, m - choice.hold.units);
    const int left_context = choice.hold.context;
    const bool goes_on = moves_.goes_on(i, j) && table_.left_of_split(i, j, left_context, m) <
                                                     table_.at(i, j - 1, left_context, m);
    if (goes_on) add(ChainAction::backward, j - 1);
    if (away) fetch_input(i, context);
    reverse(i, goes_on ? j - 2 : j - 1, left_context, m);
  }

  void add(ChainAction action, int i) { operations_.push_back({action, i}); }

  void forward(int i, bool saving) {
    add(saving && chain_.has_tape(i) ? ChainAction::forward_saving : ChainAction::forward, i);
  }

  void send(bool of_tape, int i) { copy(of_tape, i, true); }
  void fetch(bool of_tape, int i) { copy(of_tape, i, false); }

  // x_i, or the tape before it that it is inside of.
  void send_input(int i, int context) { copy_input(i, context, true); }
  void fetch_input(int i, int context) { copy_input(i, context, false); }
  void copy_input(int i, int context, bool out) {
    const bool taped = (context & inside_tape) != 0;
    copy(taped, taped ? i - 1 : i, out);
  }

  void copy(bool of_tape, int i, bool out) {
    const int slow = moves_.away_price(of_tape ? chain_.tape[i] : chain_.x[i]).memory;
    operations_.push_back({ChainAction::copy, i, of_tape, out ? 0 : slow, out ? slow : 0});
  }

  const PersistentMoves& moves_;
  const ChainArrays& chain_;
  const PersistentTable<Cost>& table_;
  ChainOperations operations_;
};

}  // namespace

template <class Cost>
ChainOperations trace(const PersistentMoves& moves, const PersistentTable<Cost>& table) {
  Tracer<Cost> tracer(moves, table);
  tracer.reverse(0, moves.stages() - 1, plain_value, moves.top());
  return tracer.take();
}

namespace {

template <class Cost>
Reversal solve(const PersistentMoves& moves, const PersistentRanges& ranges, int threads) {
  const int last = moves.stages() - 1;
  const auto table = fill_table<Cost>(moves, ranges, threads);
  Reversal reversal;
  reversal.feasible = true;
  reversal.operations = trace(moves, table);
  for (std::int64_t m = 0; m <= moves.top(); ++m) {
    reversal.by_units.push_back(static_cast<double>(table.at(0, last, plain_value, m)));
  }
  reversal.recomputed = reversal.by_units.back();
  return reversal;
}

// Sums of integers this small are exact in single precision. A persistent schedule runs a forward
// at most once for every stage.
bool exact_in_float(const PersistentMoves& moves) {
  if (moves.contexts() > 1) return false;
  double sum = 0;
  for (const double cost : moves.chain().forward) {
    if (cost != std::floor(cost)) return false;
    sum += cost;
  }
  return sum * moves.stages() < (1 << 24);
}

}  // namespace

Reversal best_reversal(const PersistentMoves& moves, std::size_t double_bytes, int threads) {
  const PersistentRanges ranges(moves);
  if (ranges.of(0, moves.stages() - 1, plain_value).least > moves.top()) return {};
  const bool in_float = exact_in_float(moves);
  const bool fits = ranges.entries() * sizeof(double) <= double_bytes;
  Reversal reversal = in_float || !fits ? solve<float>(moves, ranges, threads)
                                        : solve<double>(moves, ranges, threads);
  reversal.exact = in_float || fits;
  return reversal;
}

template ChainOperations trace(const PersistentMoves&, const PersistentTable<float>&);
template ChainOperations trace(const PersistentMoves&, const PersistentTable<double>&);

}  // namespace stint
