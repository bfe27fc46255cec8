// Ranges of bytes that operations of the libraries access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/cuda_host/races.hpp"

namespace cuda_host {

template <typename T>
MemoryAccess access_to(const T* at, std::int64_t elements, bool writes) {
  return {reinterpret_cast<Address>(at), elements * sizeof(T), writes};
}

// Sorted, and what touches joined.
inline std::vector<MemoryAccess> joined(std::vector<MemoryAccess> accesses) {
  std::sort(accesses.begin(), accesses.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<MemoryAccess> result;
  for (const MemoryAccess& access : accesses) {
    if (result.empty() || result.back().first + result.back().bytes < access.first) {
      result.push_back(access);
      continue;
    }
    MemoryAccess& last = result.back();
    last.bytes = std::max(last.bytes, access.first + access.bytes - last.first);
  }
  return result;
}

inline bool overlap(const std::vector<MemoryAccess>& some,
                    const std::vector<MemoryAccess>& others) {
  for (const MemoryAccess& a : some)
    for (const MemoryAccess& b : others)
      if (a.first < b.first + b.bytes && b.first < a.first + a.bytes) return true;
  return false;
}

// What a library leaves in its workspace is of no use to anybody: NaNs, in its first mebibyte.
inline void spoil(void* workspace, std::size_t bytes) {
  std::memset(workspace, 0xFF, std::min(bytes, std::size_t{1} << 20));
}

}  // namespace cuda_host
