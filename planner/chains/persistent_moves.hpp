// The choices of a persistent schedule, in units of memory: what the tables of persistent.hpp are
// filled from. C(i,l) is the reversal of stages i … l: x_i and g_{l+1} are in the fast memory at
// its start, g_i at its end, and m units are free for all of it, x_i included.
//
// At its first stage a reversal either *keeps*: F_i saves its tape, stages i+1 … l are reversed
// with what B_i needs held, then B_i runs. Or it *splits* at j: forwards up to x_j, the reversal of
// j … l with x_i held, then that of i … j-1. What is held stays in the fast memory, or goes away to
// a slow one and comes back, which is a Hold of fewer units and a cost.
//
// Rounding is safe: m units stand for at least unit_bytes * m + rest_bytes bytes; what is held is
// rounded up and what is needed rounded up. Nothing is lost where unit_bytes divides every size
// that can be held.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/chains/chain_problem.hpp"

namespace stint {

// Where x_i is when a reversal begins, beside being in the fast memory: a combination of bits. The
// plain problem, without slow memories, has context 0 only.
enum ReversalContext : int { plain_value = 0, also_slow = 1, inside_tape = 2 };

struct Hold {
  std::int64_t units = 0;  // negative: going away frees a tape that was counted outside
  double cost = 0;
  int context = 0;  // of the reversal inside (keep), or of the left one (split)
  bool input_away = false;
  bool tape_away = false;
};

// What it costs to send an item away and bring it back.
struct AwayPrice {
  int memory = 0;
  double out = 0;
  double back = 0;
};

// Hopeful rounding favours every schedule: its costs are lower bounds.
enum class Rounding { safe, hopeful };

class PersistentMoves {
 public:
  // Memory of `memory_bytes` in units of `unit_bytes`, rounded as `rounding` says. The slow
  // memories count by their prices only; that together they are large enough is the caller's
  // business.
  PersistentMoves(const ChainArrays& chain, std::int64_t memory_bytes, std::int64_t unit_bytes,
                  Rounding rounding = Rounding::safe, const std::vector<SlowMemory>& slow = {});

  int stages() const { return chain_->stages; }
  int contexts() const { return contexts_; }
  std::int64_t top() const { return top_; }  // the whole memory, in units
  std::int64_t bytes_at(std::int64_t units) const { return unit_bytes_ * units + rest_bytes_; }
  const ChainArrays& chain() const { return *chain_; }

  const std::vector<Hold>& keep_holds(int i, int context) const { return keep_[at(i, context)]; }
  const std::vector<Hold>& split_holds(int i, int context) const { return split_[at(i, context)]; }

  // The least units with which each can be done; top() + 1 if none.
  std::int64_t to_reverse_one(int i) const;
  std::int64_t to_keep(int i, int l) const;
  std::int64_t to_advance(std::int64_t advance_bytes, int l) const;  // advance_bytes from Advance
  std::int64_t to_go_on(int i, int j) const;                         // see goes_on

  // B_{j-1} needs nothing but x_j and the gradient: after the reversal of j … l it can run at once,
  // and i … j-2 remain.
  bool goes_on(int i, int j) const;

  // Cost of forwards beyond the first of each, for a split of i … at j.
  double recomputed(int i, int j) const;
  double recomputed_going_on(int i, int j) const;

  AwayPrice away_price(std::int64_t bytes) const;

 private:
  std::size_t at(int i, int context) const {
    return static_cast<std::size_t>(i) * contexts_ + context;
  }
  bool holds_input(int i) const;
  std::int64_t units_of(std::int64_t bytes) const;     // to hold
  std::int64_t least_units(std::int64_t bytes) const;  // to have
  std::int64_t bytes_forth(int i, int l) const;        // while F_i saves its tape
  std::int64_t bytes_back(int i) const;                // while B_i runs
  void add_holds(int i, int context);

  const ChainArrays* chain_;
  std::vector<SlowMemory> slow_;
  Rounding rounding_ = Rounding::safe;
  std::int64_t unit_bytes_ = 1;
  std::int64_t rest_bytes_ = 0;
  std::int64_t top_ = 0;
  int contexts_ = 1;
  std::vector<std::vector<Hold>> keep_, split_;  // by stage and context
  std::vector<double> forward_before_;           // sums of forward costs
};

// How far forwards can go from x_i with little memory: to x_j with at least bytes[j-i-1], which
// grows with j, beside the live gradient.
struct Advance {
  std::vector<std::int64_t> holding;  // x_i stays in the fast memory
  std::vector<std::int64_t> away;     // x_i leaves it after F_i
};
Advance advance_from(const ChainArrays& chain, int i);

}  // namespace stint
