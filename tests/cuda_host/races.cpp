#include "tests/cuda_host/races.hpp"

#include <algorithm>
#include <iterator>

namespace cuda_host {

// Cuts the segment that spans an address in two.
void AccessHistory::split(Address at) {
  auto next = segments_.lower_bound(at);
  if (next == segments_.begin()) return;
  const auto spanning = std::prev(next);
  if (spanning->second.end <= at) return;
  segments_.emplace_hint(next, at, spanning->second);
  spanning->second.end = at;
}

// Makes segments out of a range, with borders at its two ends and no gaps.
void AccessHistory::cover(Address first, Address end) {
  split(first);
  split(end);
  Address at = first;
  for (auto next = segments_.lower_bound(first); at < end; ++next) {
    const Address until = next == segments_.end() ? end : std::min(end, next->first);
    if (at < until) next = segments_.emplace_hint(next, at, Segment{.end = until});
    at = next->second.end;
  }
}

const AccessHistory::Mark* AccessHistory::conflict(const Segment& segment,
                                                   const MemoryAccess& access,
                                                   const VectorClock& clock) {
  if (!segment.write.before(clock)) return &segment.write;
  if (!access.writes) return nullptr;
  const auto read = std::find_if(segment.reads.begin(), segment.reads.end(),
                                 [&](const Mark& mark) { return !mark.before(clock); });
  return read == segment.reads.end() ? nullptr : &*read;
}

void AccessHistory::mark(Segment& segment, const MemoryAccess& access, const Mark& mark) {
  if (access.writes) {
    segment.write = mark;
    segment.reads.clear();
    return;
  }
  const auto same = std::find_if(segment.reads.begin(), segment.reads.end(),
                                 [&](const Mark& read) { return read.agent == mark.agent; });
  if (same == segment.reads.end())
    segment.reads.push_back(mark);
  else
    *same = mark;
}

std::string AccessHistory::add(const MemoryAccess& access, const AccessActor& actor) {
  if (access.bytes == 0) return "";
  const Address end = access.first + access.bytes;
  const Mark mine{actor.agent, actor.clock->at(actor.agent), actor.label};
  cover(access.first, end);
  std::string found;
  for (auto at = segments_.find(access.first); at != segments_.end() && at->first < end; ++at) {
    const Mark* const other = conflict(at->second, access, *actor.clock);
    if (other != nullptr && found.empty())
      found = *actor.label + (access.writes ? " writes " : " reads ") + "what " + *other->label +
              (other == &at->second.write ? " writes" : " reads");
    mark(at->second, access, mine);
  }
  if (!access.writes) return found;
  const auto whole = segments_.find(access.first);  // one writer: one segment
  segments_.erase(std::next(whole), segments_.lower_bound(end));
  whole->second.end = end;
  return found;
}

std::string AccessHistory::unfinished(Address first, std::size_t bytes,
                                      const VectorClock& clock) const {
  for (auto at = segments_.lower_bound(first); at != segments_.end() && at->first < first + bytes;
       ++at) {
    if (!at->second.write.before(clock)) return *at->second.write.label;
    for (const Mark& read : at->second.reads)
      if (!read.before(clock)) return *read.label;
  }
  return "";
}

void AccessHistory::forget(Address first, std::size_t bytes) {
  split(first);
  split(first + bytes);
  segments_.erase(segments_.lower_bound(first), segments_.lower_bound(first + bytes));
}

}  // namespace cuda_host
