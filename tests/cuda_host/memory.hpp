// The memory of the devices, and pinned memory of the host. Addresses of device memory fault when
// the host touches them: the bytes are mapped a second time at an alias, which only operations use.
// No address is ever given twice and every allocation is followed by a gap, so that use after free
// and accesses past an end are seen. A fresh allocation holds NaNs, not zeros.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/cuda_host/races.hpp"

namespace cuda_host {

enum class MemoryPlace { pageable, pinned, device };

struct Allocation {
  Address first = 0;
  std::size_t bytes = 0;
  MemoryPlace place = MemoryPlace::pageable;
  int device = 0;
  bool live = true;
  std::string name;  // "allocation 3 of device 0", for reports
};

// A range of addresses, all inaccessible, of which pieces are taken one after another.
class AddressRegion {
 public:
  static constexpr std::size_t bytes = std::size_t{64} << 30;
  AddressRegion();
  Address take(std::size_t wanted);  // 0 if none are left
  bool holds(Address address) const { return address - first_ < bytes; }
  Address first() const { return first_; }

 private:
  Address first_ = 0;
  std::size_t taken_ = 0;
};

class SeparateMemory {
 public:
  SeparateMemory();
  Address allocate_on_device(int device, std::size_t bytes);  // CallFault if the device is full
  Address allocate_pinned(std::size_t bytes);
  // CallMisuse if nothing live begins there. Unless a kernel may still be at work, it is looked
  // whether one wrote what it had not declared.
  void free(Address address, MemoryPlace place, bool is_at_rest);

  std::size_t free_bytes(int device) const;
  MemoryPlace place_of(Address address) const;
  bool on_device(const void* address) const;

  // The live allocation that holds the whole access; null for pageable memory. CallMisuse
  // otherwise.
  const Allocation* block(const MemoryAccess& access, const std::string& who) const;
  const Allocation* block_at(Address address) const;  // null if none begins there, live or not

  // MemoryPlace operations find the byte that has this address.
  Address alias(Address address) const;
  template <typename T>
  T* alias(T* pointer) const {
    return reinterpret_cast<T*>(alias(reinterpret_cast<Address>(pointer)));
  }

  // Where a kernel of the program finds it: a stage on which only what it declares is put, among
  // NaNs. `bring_on_stage` and `leave_stage` stand around its run; what it writes but does not
  // declare is found when the memory is freed.
  Address stage(Address address) const;
  void bring_on_stage(const std::vector<MemoryAccess>& accesses) const;
  void leave_stage(const std::vector<MemoryAccess>& accesses) const;

  std::vector<std::string> leaks() const;

 private:
  const Allocation* holder(Address address) const;
  Address add(Address address, std::size_t bytes, MemoryPlace place, int device);
  void check_stage(const Allocation& block) const;

  AddressRegion device_, pinned_;
  int file_ = -1;      // the bytes of the devices
  Address alias_ = 0;  // where they are accessible
  Address stage_ = 0;
  std::map<Address, Allocation> blocks_;
  std::map<int, std::size_t> used_bytes_;  // by device
};

}  // namespace cuda_host
