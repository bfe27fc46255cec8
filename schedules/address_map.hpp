// Which cell last had each address of one memory. Writing takes addresses over from whoever had
// them.
#pragma once

#include <cstdint>
#include <map>

namespace stint {

class AddressMap {
 public:
  // Gives [begin, end) to `cell`, and calls lost(previous) for every cell that had some of it.
  template <typename Lost>
  void take(std::int64_t begin, std::int64_t end, int cell, Lost lost) {
    if (begin >= end) return;
    auto at = owners_.upper_bound(begin);
    if (at != owners_.begin()) --at;
    while (at != owners_.end() && at->first < end) {
      const std::int64_t start = at->first;
      const Owned owned = at->second;
      if (owned.end <= begin) {
        ++at;
        continue;
      }
      lost(owned.cell);
      at = owners_.erase(at);
      if (start < begin) owners_.emplace(start, Owned{begin, owned.cell});
      if (owned.end > end) at = owners_.emplace(end, Owned{owned.end, owned.cell}).first;
    }
    owners_.emplace(begin, Owned{end, cell});
  }

 private:
  struct Owned {
    std::int64_t end;
    int cell;
  };
  std::map<std::int64_t, Owned> owners_;  // by first address; disjoint
};

}  // namespace stint
