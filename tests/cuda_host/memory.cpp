#include "tests/cuda_host/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "tests/cuda_host/findings.hpp"
#include "tests/cuda_host/settings.hpp"

namespace cuda_host {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t granule_bytes = 512;  // what cudaMalloc rounds to
constexpr std::size_t poisoned_bytes = std::size_t{256} << 20;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

Address map(std::size_t bytes, int access, int flags, int file) {
  void* const address = mmap(nullptr, bytes, access, flags | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  return reinterpret_cast<Address>(address);
}

void poison(Address first, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(first), 0xFF, std::min(bytes, poisoned_bytes));
}

void copy(Address to, Address from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
}

}  // namespace

// The lower half of its first address is a number that nothing counts up to: beside a stale half of
// a pointer, a number in the arguments of a kernel is not taken for an address.
AddressRegion::AddressRegion() {
  constexpr Address half = Address{1} << 32, lower = Address{1} << 29;
  first_ = map(bytes + 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  first_ = first_ / half * half + half + lower;
}

Address AddressRegion::take(std::size_t wanted) {
  const std::size_t with_gap = rounded(wanted, page_bytes) + page_bytes;
  if (with_gap > bytes - taken_) return 0;
  const Address address = first_ + taken_;
  taken_ += with_gap;
  return address;
}

SeparateMemory::SeparateMemory() : file_(memfd_create("cuda_host", MFD_CLOEXEC)) {
  if (file_ < 0 || ftruncate(file_, AddressRegion::bytes) != 0) throw std::bad_alloc();
  alias_ = map(AddressRegion::bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_);
  stage_ = map(AddressRegion::bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

Address SeparateMemory::add(Address address, std::size_t bytes, MemoryPlace place, int device) {
  const std::string of =
      place == MemoryPlace::pinned ? "pinned memory" : "device " + std::to_string(device);
  const std::string name = "allocation " + std::to_string(blocks_.size()) + " of " + of;
  blocks_.emplace(address, Allocation{address, bytes, place, device, true, name});
  return address;
}

Address SeparateMemory::allocate_on_device(int device, std::size_t bytes) {
  if (bytes > free_bytes(device))
    throw CallFault(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes are not free");
  const std::size_t charged = rounded(bytes, granule_bytes);
  const Address address = charged > free_bytes(device) ? 0 : device_.take(bytes);
  if (address == 0) throw CallFault(cudaErrorMemoryAllocation, "no addresses are free");
  used_bytes_[device] += charged;
  poison(alias(address), bytes);
  poison(stage(address), bytes);
  return add(address, bytes, MemoryPlace::device, device);
}

Address SeparateMemory::allocate_pinned(std::size_t bytes) {
  const Address address = bytes > AddressRegion::bytes ? 0 : pinned_.take(bytes);
  if (address == 0 || mprotect(reinterpret_cast<void*>(address), rounded(bytes, page_bytes),
                               PROT_READ | PROT_WRITE) != 0)
    throw CallFault(cudaErrorMemoryAllocation, "no pinned memory is free");
  poison(address, bytes);
  return add(address, bytes, MemoryPlace::pinned, 0);
}

void SeparateMemory::free(Address address, MemoryPlace place, bool is_at_rest) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || found->second.place != place)
    throw CallMisuse(cudaErrorInvalidValue,
                     "frees an address that no allocation of this kind begins at");
  Allocation& block = found->second;
  if (!block.live)
    throw CallMisuse(cudaErrorInvalidValue, "frees " + block.name + " a second time");
  block.live = false;
  if (place == MemoryPlace::pinned) {
    void* const first = reinterpret_cast<void*>(address);
    mprotect(first, rounded(block.bytes, page_bytes), PROT_NONE);
    madvise(first, rounded(block.bytes, page_bytes), MADV_DONTNEED);
    return;
  }
  used_bytes_[block.device] -= rounded(block.bytes, granule_bytes);
  if (is_at_rest) check_stage(block);
  madvise(reinterpret_cast<void*>(stage(address)), rounded(block.bytes, page_bytes), MADV_DONTNEED);
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(address - device_.first()),
            static_cast<off_t>(rounded(block.bytes, page_bytes)));
}

std::size_t SeparateMemory::free_bytes(int device) const {
  const auto used = used_bytes_.find(device);
  const auto all = static_cast<std::size_t>(settings().memory_bytes);
  return used == used_bytes_.end() ? all : all - used->second;
}

MemoryPlace SeparateMemory::place_of(Address address) const {
  if (device_.holds(address)) return MemoryPlace::device;
  return pinned_.holds(address) ? MemoryPlace::pinned : MemoryPlace::pageable;
}

bool SeparateMemory::on_device(const void* address) const {
  return place_of(reinterpret_cast<Address>(address)) == MemoryPlace::device;
}

const Allocation* SeparateMemory::block_at(Address address) const {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? nullptr : &found->second;
}

// The allocation that begins at or before an address and may hold it.
const Allocation* SeparateMemory::holder(Address address) const {
  const auto next = blocks_.upper_bound(address);
  return next == blocks_.begin() ? nullptr : &std::prev(next)->second;
}

const Allocation* SeparateMemory::block(const MemoryAccess& access, const std::string& who) const {
  const MemoryPlace place = place_of(access.first);
  if (place == MemoryPlace::pageable) return nullptr;
  const std::string what = who + (access.writes ? " writes " : " reads ");
  const Allocation* const block = holder(access.first);
  if (block == nullptr || block->place != place)
    throw CallMisuse(cudaErrorIllegalAddress, what + "outside every allocation");
  if (!block->live)
    throw CallMisuse(cudaErrorIllegalAddress, what + block->name + " after it was freed");
  const std::size_t offset = access.first - block->first;
  if (offset > block->bytes || access.bytes > block->bytes - offset)
    throw CallMisuse(cudaErrorIllegalAddress, what + "bytes " + std::to_string(offset) + " to " +
                                                  std::to_string(offset + access.bytes) + " of " +
                                                  block->name + ", which has " +
                                                  std::to_string(block->bytes));
  return block;
}

Address SeparateMemory::alias(Address address) const {
  return device_.holds(address) ? address - device_.first() + alias_ : address;
}

Address SeparateMemory::stage(Address address) const {
  return device_.holds(address) ? address - device_.first() + stage_ : address;
}

void SeparateMemory::bring_on_stage(const std::vector<MemoryAccess>& accesses) const {
  for (const auto& [first, bytes, writes] : accesses)
    if (device_.holds(first)) copy(stage(first), alias(first), bytes);
}

void SeparateMemory::leave_stage(const std::vector<MemoryAccess>& accesses) const {
  for (const auto& [first, bytes, writes] : accesses)
    if (device_.holds(first) && writes) copy(alias(first), stage(first), bytes);
  for (const auto& [first, bytes, writes] : accesses)
    if (device_.holds(first)) poison(stage(first), bytes);
}

void SeparateMemory::check_stage(const Allocation& block) const {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(stage(block.first));
  const auto* const end = bytes + std::min(block.bytes, poisoned_bytes);
  const auto* const other =
      std::find_if(bytes, end, [](unsigned char byte) { return byte != 0xFF; });
  if (other != end)
    report_finding("a kernel wrote byte " + std::to_string(other - bytes) + " of " + block.name +
                   " and had not declared it");
}

std::vector<std::string> SeparateMemory::leaks() const {
  std::vector<std::string> lines;
  for (const auto& [address, block] : blocks_)
    if (block.live) lines.push_back(block.name + ", " + std::to_string(block.bytes) + " bytes");
  return lines;
}

}  // namespace cuda_host
