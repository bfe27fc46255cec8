// Bytes that begin where kernels want them to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "models/training/workspace.hpp"

namespace stint {

struct DeleteAligned {
  void operator()(std::byte* bytes) const {
    ::operator delete(bytes, std::align_val_t(workspace_alignment_bytes));
  }
};
using AlignedBlock = std::unique_ptr<std::byte, DeleteAligned>;

inline AlignedBlock aligned_block(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* const raw = ::operator new(size, std::align_val_t(workspace_alignment_bytes));
  return AlignedBlock(static_cast<std::byte*>(raw));
}

}  // namespace stint
