// What a block of a training step must compute again, if it may keep so many bytes until its
// backward begins, and has so many to run in: the exact optimum of a small problem.
//
// The block's time begins at a moment at which some of its items are there, of at most so many
// bytes together, whichever are best. From then on every run of an early task is one again, at its
// cost; tasks of its own run once for nothing: after the one that begins its backward, unless they
// may come before it. Its time ends once all of its backbone has run, and what the end reads is
// there; what then remains to run may do so later without regard to memory, but not without what
// it reads. Whatever is not an item of the block is there for nothing.
//
// A* over what has run and what is there; the way that is left is at least what has to be written
// anew for those that have not run, and for that. Of two states in which the same has run the one
// with more there and no more cost is as good. Exponential, so its states are counted: where they
// end, the least cost of those still open is a bound.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace stint {

// By bits of a word: at most so many items, and tasks.
inline constexpr std::size_t most_of_block = 64;

struct RerunTask {
  std::uint64_t reads = 0;  // items of the block
  std::uint64_t writes = 0;
  std::uint64_t optional = 0;  // of these: need not be written
  std::int64_t cost = 0;
  std::int64_t beside_bytes = 0;  // that it takes while it runs, beside items of the block
  std::int64_t later_bytes = 0;   // of items of later blocks that it reads
  bool reads_of_later = false;    // items of later blocks
  bool reads_of_former = false;   // of those before it
  bool is_early = false;          // has run before: whenever it runs now it runs again
  bool may_precede = false;       // its own: may run before the backward begins, if at all
  bool is_backbone = false;       // its own: must have run when the block's time ends
  struct InPlace {
    std::uint64_t output = 0;
    std::uint64_t input = 0;  // which is gone afterwards; none: not an item of the block
    std::int64_t bytes = 0;   // that it saves
    bool operator==(const InPlace&) const = default;
  };
  std::vector<InPlace> in_place;
  bool operator==(const RerunTask&) const = default;
};

struct RerunBlock {
  std::vector<std::int64_t> item_bytes;  // of those that no task writes there is one instance
  std::vector<RerunTask> tasks;
  bool in_any_memory = false;  // only what it keeps counts, not what it runs in
  int begin = -1;              // the task that begins its backward
  std::uint64_t lent = 0;      // items that blocks before it read to run something again
  std::uint64_t end_reads = 0;
  std::int64_t end_beside_bytes = 0;
  bool operator==(const RerunBlock&) const = default;
};

struct RerunLimits {
  std::int64_t kept_bytes = 0;      // at most, when its time begins
  std::int64_t capacity_bytes = 0;  // at all times
  std::int64_t held_bytes = 0;      // beside that, by later blocks
  // Nothing runs again that reads of other blocks, but of later ones if the next that has something
  // to lend does so, which it must then keep: what is found is a way for every block at once, and
  // no bound.
  bool is_alone = false;
  bool borrows = false;
  bool lends = false;
  std::int64_t enough = INT64_MAX;  // cost at which to stop
  std::int64_t most_states = INT64_MAX;
  const std::atomic<bool>* interrupted = nullptr;
};

struct Reruns {
  std::int64_t cost = 0;        // at least; INT64_MAX: there is no way
  bool is_exact = false;        // and at most
  std::int64_t kept_bytes = 0;  // that the way that was found makes use of
  std::int64_t peak_bytes = 0;
  std::int64_t states = 0;  // that were looked at, or as much work on sets
  // Of the way: what is there at first, and the tasks in the order in which they run until the
  // block's time ends.
  std::uint64_t kept = 0;
  std::vector<int> runs;
};

Reruns least_reruns(const RerunBlock& block, const RerunLimits& limits);

}  // namespace stint
