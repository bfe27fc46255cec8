#include "planner/chains/persistent_moves.hpp"

#include <algorithm>
#include <limits>

namespace stint {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

bool any_tape_holds(const ChainArrays& chain) {
  return std::find(chain.kind.begin(), chain.kind.end(), Tape::holds_output) != chain.kind.end();
}

}  // namespace

PersistentMoves::PersistentMoves(const ChainArrays& chain, std::int64_t memory_bytes,
                                 std::int64_t unit_bytes, Rounding rounding,
                                 const std::vector<SlowMemory>& slow)
    : chain_(&chain),
      slow_(slow),
      rounding_(rounding),
      unit_bytes_(unit_bytes),
      rest_bytes_(rounding == Rounding::safe ? memory_bytes % unit_bytes : 0),
      top_(rounding == Rounding::safe ? memory_bytes / unit_bytes
                                      : ceil_div(memory_bytes, unit_bytes)),
      contexts_(slow.empty()            ? 1
                : any_tape_holds(chain) ? 4
                                        : 2) {
  const int n = chain.stages;
  forward_before_.assign(n + 1, 0);
  for (int i = 0; i < n; ++i) forward_before_[i + 1] = forward_before_[i] + chain.forward[i];
  keep_.resize(static_cast<std::size_t>(n) * contexts_);
  split_.resize(keep_.size());
  for (int i = 0; i < n; ++i) {
    for (int context = 0; context < contexts_; ++context) add_holds(i, context);
  }
}

// x_i stays until B_i. Where only the backward before reads it, or a tape holds it, holding it
// through is right after a keep and cautious after a split.
bool PersistentMoves::holds_input(int i) const {
  return chain_->reads_input[i] || (i > 0 && chain_->reads_output[i - 1]) ||
         chain_->tape_gives(i) || (i == 0 && chain_->keep_input);
}

void PersistentMoves::add_holds(int i, int context) {
  const ChainArrays& c = *chain_;
  const bool slow = context & also_slow;
  const bool taped = context & inside_tape;
  const std::int64_t input = holds_input(i) ? c.x[i] : 0;
  const std::int64_t freed = taped && i > 0 ? c.extra[i - 1] : 0;
  const AwayPrice x = away_price(taped && i > 0 ? c.tape[i - 1] : c.x[i]);
  const AwayPrice t = away_price(c.tape[i]);
  const double x_cost = (slow ? 0 : x.out) + x.back;
  const int inside = contexts_ == 4 && c.kind[i] == Tape::holds_output ? inside_tape : plain_value;
  auto& keep = keep_[at(i, context)];
  auto& split = split_[at(i, context)];
  keep.push_back({units_of(input + c.extra[i]), 0, inside});
  split.push_back({units_of(c.x[i]), 0, context});
  if (contexts_ == 1) return;
  const bool can_send_tape = c.kind[i] == Tape::beside && c.tape[i] > 0 && t.memory > 0;
  const bool can_send_input = input > 0 && x.memory > 0;
  const double t_cost = t.out + t.back;
  if (can_send_tape) keep.push_back({units_of(input), t_cost, inside, false, true});
  if (!can_send_input) return;
  keep.push_back({units_of(c.extra[i] - freed), x_cost, inside, true, false});
  if (can_send_tape) keep.push_back({units_of(-freed), x_cost + t_cost, inside, true, true});
  split.push_back({units_of(-freed), x_cost, context | also_slow, true, false});
}

AwayPrice PersistentMoves::away_price(std::int64_t bytes) const {
  AwayPrice best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < slow_.size(); ++k) {
    if (bytes > slow_[k].bytes) continue;
    const double out = copy_cost_out(slow_[k], bytes);
    const double back = copy_cost_back(slow_[k], bytes);
    if (out + back < least) best = {static_cast<int>(k) + 1, out, back}, least = out + back;
  }
  return best;
}

std::int64_t PersistentMoves::units_of(std::int64_t bytes) const {
  return rounding_ == Rounding::safe ? ceil_div(bytes, unit_bytes_)
                                     : -ceil_div(-bytes, unit_bytes_);
}

std::int64_t PersistentMoves::least_units(std::int64_t bytes) const {
  const std::int64_t units = bytes <= rest_bytes_ ? 0 : ceil_div(bytes - rest_bytes_, unit_bytes_);
  return std::min(units, top_ + 1);
}

std::int64_t PersistentMoves::bytes_forth(int i, int l) const {
  const ChainArrays& c = *chain_;
  return c.x[i] + c.x[i + 1] + c.extra[i] + c.forward_extra[i] + c.gradient[l + 1];
}

std::int64_t PersistentMoves::bytes_back(int i) const {
  const ChainArrays& c = *chain_;
  const bool output = c.reads_output[i] || c.kind[i] == Tape::holds_output;
  return (holds_input(i) ? c.x[i] : 0) + c.extra[i] + (output ? c.x[i + 1] : 0) +
         c.gradient[i + 1] + c.backward_extra[i];
}

std::int64_t PersistentMoves::to_reverse_one(int i) const {
  return least_units(std::max(chain_->needs_forward[i] ? bytes_forth(i, i) : 0, bytes_back(i)));
}

std::int64_t PersistentMoves::to_keep(int i, int l) const {
  return least_units(std::max(bytes_forth(i, l), bytes_back(i)));
}

std::int64_t PersistentMoves::to_advance(std::int64_t advance_bytes, int l) const {
  return least_units(advance_bytes + chain_->gradient[l + 1]);
}

bool PersistentMoves::goes_on(int i, int j) const {
  const int s = j - 1;
  return s > i && chain_->kind[s] == Tape::none && !chain_->reads_input[s] &&
         chain_->reads_output[s];
}

std::int64_t PersistentMoves::to_go_on(int i, int j) const {
  const ChainArrays& c = *chain_;
  return least_units(c.x[i] + c.x[j] + c.gradient[j] + c.backward_extra[j - 1]);
}

double PersistentMoves::recomputed(int i, int j) const {
  const double again = chain_->needs_forward[j - 1] ? chain_->forward[j - 1] : 0;
  return forward_before_[j - 1] - forward_before_[i] + again;
}

double PersistentMoves::recomputed_going_on(int i, int j) const { return recomputed(i, j - 1); }

Advance advance_from(const ChainArrays& chain, int i) {
  Advance advance;
  std::int64_t holding = 0;
  std::int64_t away = 0;
  for (int k = i; k + 1 < chain.stages; ++k) {
    const std::int64_t step = chain.x[k] + chain.x[k + 1] + chain.unsaved_extra[k];
    holding = std::max(holding, step + (k > i ? chain.x[i] : 0));
    away = std::max(away, step);
    advance.holding.push_back(holding);
    advance.away.push_back(away);
  }
  return advance;
}

}  // namespace stint
