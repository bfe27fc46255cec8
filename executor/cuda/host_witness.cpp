#include "executor/cuda/host_witness.hpp"

extern "C" {
__attribute__((weak)) void stint_host_tells(const void* what, unsigned long long count);
__attribute__((weak)) void stint_host_hears(const void* what, unsigned long long count);
__attribute__((weak)) void stint_host_touches(const char* name, const void* first,
                                              std::size_t bytes, int writes);
}

namespace stint {
namespace {

class HostWitness : public Witness {
 public:
  void tell(const void* counter, std::uint64_t count) override { stint_host_tells(counter, count); }
  void hear(const void* counter, std::uint64_t count) override { stint_host_hears(counter, count); }
  void touch(const std::string& who, std::span<const std::byte> bytes, bool writes) override {
    stint_host_touches(who.c_str(), bytes.data(), bytes.size(), writes ? 1 : 0);
  }
};

}  // namespace

Witness* host_witness() {
  static HostWitness witness;
  return stint_host_tells == nullptr ? nullptr : &witness;
}

}  // namespace stint
