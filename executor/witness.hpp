// Who is told how threads of the host wait for one another and what they touch. On a machine there
// is none. A test's host implementation of CUDA's libraries is one: it looks for races, and must
// not take for order what is mere luck, so it is told of every wait that a plan makes certain, and
// of no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace stint {

class Witness {
 public:
  Witness() = default;
  virtual ~Witness() = default;
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  // What the calling thread has done, those come after who hear of the same.
  virtual void tell(const void* counter, std::uint64_t count) = 0;
  virtual void hear(const void* counter, std::uint64_t count) = 0;
  // The calling thread reads or writes memory of the host now. Bytes that no GPU can reach are of
  // no interest.
  virtual void touch(const std::string& who, std::span<const std::byte> bytes, bool writes) = 0;
};

}  // namespace stint
