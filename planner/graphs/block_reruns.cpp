#include "planner/graphs/block_reruns.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <queue>
#include <unordered_map>

namespace stint {
namespace {

using Bits = std::uint64_t;

constexpr std::size_t most_starts = 100000;
constexpr std::int64_t most_steps_of_starts = 1 << 22;  // of the enumeration of those
constexpr std::int64_t steps_of_state = 1 << 12;        // of enumerations, for as much as a state
constexpr std::int64_t impossible = INT64_MAX / 4;
constexpr int nobody = -1;

Bits bit(int i) { return Bits{1} << i; }

template <typename Each>
void for_each_bit(Bits bits, Each each) {
  for (; bits != 0; bits &= bits - 1) each(std::countr_zero(bits));
}

struct Place {
  Bits done = 0;
  Bits there = 0;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return (place.done * 0x9E3779B97F4A7C15ull) ^
           std::rotl(place.there * 0xC2B2AE3D27D4EB4Full, 29);
  }
};

struct State {
  Place place;
  std::int64_t cost = 0;
  std::int64_t kept_bytes = 0;  // of what was there at first and has been read since
  Bits unread = 0;              // of that the rest
  std::int64_t peak_bytes = 0;
  int from = -1;  // state
  int task = -1;  // that ran since
};

// The least first; of equals those in which more has run, then the newest.
struct Open {
  std::int64_t estimate = 0;
  int done = 0;
  int state = 0;
  bool is_end = false;
  bool operator<(const Open& other) const {
    if (estimate != other.estimate) return estimate > other.estimate;
    if (done != other.done) return done < other.done;
    return state < other.state;
  }
};

class RerunSearch {
 public:
  RerunSearch(const RerunBlock& block, const RerunLimits& limits) : block_(block), limits_(limits) {
    std::fill(std::begin(writer_), std::end(writer_), nobody);
    for (std::size_t t = 0; t < block.tasks.size(); ++t) {
      const RerunTask& task = block.tasks[t];
      for_each_bit(task.writes, [&](int item) { writer_[item] = static_cast<int>(t); });
      if (task.is_early) early_ |= bit(static_cast<int>(t));
      if (task.is_early || task.may_precede) continue;
      required_ |= bit(static_cast<int>(t));
      if (task.is_backbone) backbone_ |= bit(static_cast<int>(t));
    }
  }

  Reruns search() {
    if (block_.in_any_memory) return keep();
    if (!start()) return bound(0);
    while (!open_.empty()) {
      const Open next = open_.top();
      open_.pop();
      if (next.estimate >= limits_.enough) return bound(limits_.enough);
      if (next.is_end) return found(next);
      const State state = states_[next.state];  // a copy: others come
      if (is_beaten(state)) continue;
      if (is_over()) return bound(next.estimate);
      expand(state, next.state);
    }
    return bound(is_cut_ ? limits_.enough : INT64_MAX);
  }

 private:
  bool is_over() {
    ++looked_at_;
    const bool is_asked = looked_at_ % 1024 == 0 && limits_.interrupted != nullptr;
    return work() > limits_.most_states || (is_asked && limits_.interrupted->load());
  }
  // In states.
  std::int64_t work() const { return looked_at_ + steps_ / steps_of_state; }
  Reruns bound(std::int64_t cost) const { return {cost, false, 0, 0, work(), 0, {}}; }
  Reruns found(const Open& end) const {
    const State& last = states_[end.state];
    Reruns way{end.estimate, true, last.kept_bytes, last.peak_bytes, work(), 0, {}};
    const State* state = &last;
    for (; state->from >= 0; state = &states_[state->from])
      if (state->task >= 0) way.runs.push_back(state->task);
    std::reverse(way.runs.begin(), way.runs.end());
    way.kept = state->place.there | lent();
    return way;
  }

  std::int64_t bytes_of(Bits items) const {
    std::int64_t bytes = 0;
    for_each_bit(items, [&](int item) { bytes += block_.item_bytes[item]; });
    return bytes;
  }
  const RerunTask& task(int t) const { return block_.tasks[t]; }
  // What it reads of others to run again is not there.
  bool is_barred(const RerunTask& each) const {
    return limits_.is_alone && (each.reads_of_former || (each.reads_of_later && !limits_.borrows));
  }
  Bits lent() const { return limits_.lends ? block_.lent : 0; }
  bool is_input(int item) const { return writer_[item] == nobody; }
  // Later blocks hold what it reads of theirs, or more.
  std::int64_t beside_bytes(const RerunTask& each) const {
    return each.beside_bytes + std::max<std::int64_t>(each.later_bytes - limits_.held_bytes, 0);
  }
  bool has_begun(Bits done) const { return block_.begin < 0 || (done & bit(block_.begin)) != 0; }

  // What could be there when the block's time begins: what early tasks wrote, and tasks of its own
  // that may have run by then. Of the sets of at most so many bytes those to which nothing early
  // can be added; false if there are too many of them.
  bool start() {
    const auto sets = first_sets();
    if (!sets) return false;
    for (const Bits set : *sets) {
      Bits done = early_;
      for_each_bit(set, [&](int item) { done |= is_input(item) ? 0 : bit(writer_[item]); });
      const std::int64_t bytes = bytes_of(set);
      push({{done, set}, 0, bytes_of(lent()), set & ~lent(), bytes, -1, -1});
    }
    return true;
  }
  std::optional<std::vector<Bits>> first_sets() {
    Bits possible = 0;
    for (std::size_t i = 0; i < block_.item_bytes.size(); ++i)
      if (is_input(static_cast<int>(i))) possible |= bit(static_cast<int>(i));
    for (const RerunTask& each : block_.tasks)
      if (each.is_early || each.may_precede) possible |= each.writes;
    possible &= needed(early_);
    std::vector<int> items;
    for_each_bit(possible & ~lent(), [&](int item) { items.push_back(item); });
    std::stable_sort(items.begin(), items.end(),
                     [&](int a, int b) { return block_.item_bytes[a] > block_.item_bytes[b]; });
    const std::int64_t room =
        std::min(limits_.kept_bytes, limits_.capacity_bytes) - bytes_of(lent());
    std::vector<Bits> sets;
    if (room < 0) return sets;
    const std::int64_t all = bytes_of(possible & ~lent());
    if (!add_sets(items, 0, all, lent(), room, INT64_MAX, sets)) return std::nullopt;
    return sets;
  }

  // Where all the memory is there nothing is a matter of order.
  Reruns keep() {
    const auto sets = first_sets();
    if (!sets) return bound(0);
    Reruns best = bound(INT64_MAX);
    for (const Bits set : *sets) {
      const Anew anew = written_anew(block_.end_reads, {early_, set});
      if (anew.cost >= std::min(best.cost, impossible)) continue;
      Bits reads = block_.end_reads;
      for_each_bit(anew.runs, [&](int t) { reads |= task(t).reads; });
      best.cost = anew.cost;
      best.is_exact = true;
      best.kept = set & reads;
      best.kept_bytes = bytes_of(best.kept);
    }
    return best;
  }
  // Largest items first; `rest`: bytes of those from the next on; `least_left`: of the smallest of
  // those left out, which must not fit.
  bool add_sets(const std::vector<int>& items, std::size_t next, std::int64_t rest, Bits set,
                std::int64_t room, std::int64_t least_left, std::vector<Bits>& sets) {
    if (++steps_ > most_steps_of_starts) return false;
    if (room - rest >= least_left) return true;
    if (next == items.size()) {
      sets.push_back(set);
      return sets.size() <= most_starts;
    }
    const int item = items[next];
    const std::int64_t bytes = block_.item_bytes[item];
    rest -= bytes;
    if (bytes <= room &&
        !add_sets(items, next + 1, rest, set | bit(item), room - bytes, least_left, sets))
      return false;
    // Who may precede the backward need not have run: then what it writes is no loss.
    const bool is_loss = is_input(item) || task(writer_[item]).is_early;
    if (is_loss) least_left = std::min(least_left, bytes);
    return add_sets(items, next + 1, rest, set, room, least_left, sets);
  }

  // Items that somebody may still read: who has not run, the end, or what is run again for these.
  Bits needed(Bits done) {
    const auto [known, is_new] = needed_.try_emplace(done, 0);
    if (!is_new) return known->second;
    Bits items = block_.end_reads;
    for_each_bit(required_ & ~done, [&](int t) { items |= task(t).reads; });
    for (Bits before = 0; before != items;) {
      before = items;
      for (const RerunTask& each : block_.tasks)
        if ((each.writes & items) != 0) items |= each.reads;
    }
    return needed_[done] = items;
  }

  // What certainly runs again: whoever wrote what is missing and is not there; and for these
  // likewise.
  struct Anew {
    std::int64_t cost = 0;
    Bits runs = 0;
  };
  Anew written_anew(Bits missing, const Place& place) const {
    Anew anew;
    missing &= ~place.there;
    while (missing != 0) {
      const int writer = writer_[std::countr_zero(missing)];
      if (writer == nobody) return {impossible, 0};
      missing &= ~task(writer).writes;
      if ((required_ & ~place.done & bit(writer)) != 0) continue;  // it has yet to run anyway
      if ((place.done & bit(writer)) != 0 && is_barred(task(writer))) return {impossible, 0};
      anew.runs |= bit(writer);
      if ((place.done & bit(writer)) != 0) anew.cost += task(writer).cost;
      for_each_bit(task(writer).reads & ~place.there, [&](int item) {
        if (is_input(item) || (anew.runs & bit(writer_[item])) == 0) missing |= bit(item);
      });
    }
    return anew;
  }
  // For those that have not run, and for the end.
  std::int64_t at_least(const Place& place, bool is_over) const {
    Bits missing = is_over ? 0 : block_.end_reads;
    for_each_bit(required_ & ~place.done, [&](int t) { missing |= task(t).reads; });
    return written_anew(missing, place).cost;
  }

  void push(State state) {
    state.place.there &= needed(state.place.done);
    const auto [best, is_new] = best_.try_emplace(state.place, state.cost);
    if (!is_new && best->second <= state.cost) return;
    best->second = state.cost;
    open(state, state.cost + at_least(state.place, false), false);
  }
  void open(const State& state, std::int64_t estimate, bool is_end) {
    if (estimate >= impossible) return;
    if (estimate >= limits_.enough) {
      is_cut_ = true;
      return;
    }
    open_.push(
        {estimate, std::popcount(state.place.done), static_cast<int>(states_.size()), is_end});
    states_.push_back(state);
  }

  // Another one in which the same has run has all that this one has, for no more.
  bool is_beaten(const State& state) {
    if (best_.at(state.place) < state.cost) return true;
    auto& others = looked_[state.place.done];
    const bool is_beaten = std::any_of(others.begin(), others.end(), [&](const auto& other) {
      return (state.place.there & ~other.first) == 0 && other.second <= state.cost;
    });
    if (!is_beaten) others.emplace_back(state.place.there, state.cost);
    return is_beaten;
  }

  void expand(const State& state, int from) {
    const Place& place = state.place;
    for (std::size_t t = 0; t < block_.tasks.size(); ++t)
      if (is_best_now(place, static_cast<int>(t))) return run(state, from, static_cast<int>(t));
    if ((place.done & backbone_) == backbone_ && has_begun(place.done)) end(state, from);
    for (std::size_t t = 0; t < block_.tasks.size(); ++t) run(state, from, static_cast<int>(t));
  }

  // What runs for nothing, fits beside everything and leaves no more there than before may as well
  // run at once: what it ends nobody else reads.
  bool is_best_now(const Place& place, int t) {
    const RerunTask& each = task(t);
    if ((required_ & ~place.done & bit(t)) == 0 || (each.reads & ~place.there) != 0) return false;
    if (t != block_.begin && !has_begun(place.done)) return false;
    const Bits after = needed(place.done | bit(t));
    std::int64_t more = bytes_of(each.writes & after & ~place.there);
    std::int64_t saved = 0;
    for (const RerunTask::InPlace& in : each.in_place)
      if ((in.input & after) == 0 && (place.there & in.output) == 0) saved += in.bytes;
    const std::int64_t during = bytes_of(place.there | each.writes) + beside_bytes(each) - saved;
    return during <= limits_.capacity_bytes && more <= bytes_of(place.there & ~after);
  }

  void end(const State& state, int from) {
    if ((block_.end_reads & ~state.place.there) != 0) return;
    const auto end_with = [&](Bits there, std::int64_t bytes) {
      State last = state;
      last.place.there = there;
      last.from = from;
      last.task = -1;
      last.peak_bytes = std::max(last.peak_bytes, bytes);
      last.kept_bytes += bytes_of(last.unread & there);
      open(last, last.cost + at_least(last.place, true), true);
    };
    fit(state.place.there, block_.end_reads, block_.end_beside_bytes, end_with);
  }

  void run(const State& state, int from, int t) {
    const Place& place = state.place;
    const RerunTask& each = task(t);
    if ((each.reads & ~place.there) != 0) return;
    const bool is_again = (place.done & bit(t)) != 0;
    if (is_again && (each.writes & ~place.there & needed(place.done)) == 0) return;
    if (is_again && is_barred(each)) return;
    if (!is_again && !each.may_precede && t != block_.begin && !has_begun(place.done)) return;
    const Bits done = place.done | bit(t);
    const auto run_with = [&](Bits gone) {
      return [&, gone](Bits there, std::int64_t bytes) {
        push({{done, there & ~gone},
              state.cost + (is_again ? each.cost : 0),
              state.kept_bytes + bytes_of(state.unread & each.reads),
              state.unread & ~each.reads & ~each.writes,
              std::max(state.peak_bytes, bytes),
              from,
              t});
      };
    };
    const Bits all = place.there | each.writes;
    const Bits used = each.reads | (each.writes & ~each.optional);
    // Some of the outputs in the places of inputs, which are then gone.
    const std::size_t ways = std::size_t{1} << each.in_place.size();
    for (std::size_t way = 0; way < ways; ++way) {
      std::int64_t beside = beside_bytes(each);
      Bits gone = 0;
      bool is_possible = true;
      for (std::size_t i = 0; i < each.in_place.size(); ++i) {
        const RerunTask::InPlace& in = each.in_place[i];
        if ((way >> i & 1) == 0) continue;
        is_possible = is_possible && (place.there & in.output) == 0 && (gone & in.input) == 0;
        beside -= in.bytes;
        gone |= in.input;
      }
      if (is_possible) fit(all, used, beside, run_with(gone));
    }
  }

  // All ways to leave out no more of the items than needed, but none that is used, so that they fit
  // beside the given bytes.
  template <typename Then>
  void fit(Bits items, Bits used, std::int64_t beside, const Then& then) {
    const std::int64_t bytes = bytes_of(items) + beside;
    if (bytes <= limits_.capacity_bytes) return then(items, bytes);
    int order[most_of_block];
    int count = 0;
    for_each_bit(items & ~used, [&](int item) { order[count++] = item; });
    std::stable_sort(order, order + count,
                     [&](int a, int b) { return block_.item_bytes[a] > block_.item_bytes[b]; });
    std::int64_t all = 0;
    for (int i = 0; i < count; ++i) all += block_.item_bytes[order[i]];
    leave_out(order, count, all, items, bytes, INT64_MAX, then);
  }
  // `rest`: bytes of what may still be left out; `least`: of the smallest that was.
  template <typename Then>
  void leave_out(const int* order, int count, std::int64_t rest, Bits items, std::int64_t bytes,
                 std::int64_t least, const Then& then) {
    ++steps_;
    if (bytes <= limits_.capacity_bytes) {
      if (bytes + least > limits_.capacity_bytes) then(items, bytes);
      return;
    }
    if (bytes - rest > limits_.capacity_bytes) return;
    const std::int64_t first = block_.item_bytes[*order];
    leave_out(order + 1, count - 1, rest - first, items & ~bit(*order), bytes - first,
              std::min(least, first), then);
    leave_out(order + 1, count - 1, rest - first, items, bytes, least, then);
  }

  const RerunBlock& block_;
  const RerunLimits& limits_;
  int writer_[most_of_block] = {};
  Bits early_ = 0;
  Bits required_ = 0;  // to run at some time
  Bits backbone_ = 0;
  std::vector<State> states_;
  std::priority_queue<Open> open_;
  std::unordered_map<Place, std::int64_t, PlaceHash> best_;
  std::unordered_map<Bits, std::vector<std::pair<Bits, std::int64_t>>> looked_;
  std::unordered_map<Bits, Bits> needed_;
  std::int64_t looked_at_ = 0;
  std::int64_t steps_ = 0;  // of enumerations of sets
  bool is_cut_ = false;     // ways that cost enough were left out
};

}  // namespace

Reruns least_reruns(const RerunBlock& block, const RerunLimits& limits) {
  return RerunSearch(block, limits).search();
}

}  // namespace stint
