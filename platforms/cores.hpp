// The cores of this machine that this process may use, in the order in which discover_platform()
// counts workers: by memory, then kind, then number. For pinning threads.
#pragma once

#include <memory>
#include <vector>

struct hwloc_topology;

namespace stint {

class Cores {
 public:
  // This machine, looked at once: that takes hwloc some 30 ms.
  static const Cores& here();
  ~Cores();
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  int count() const;  // at least 1, even where nothing is known

  // Binds the calling thread to a core (modulo the count), or to all that may be used. False where
  // the system refuses: the thread then runs where it likes.
  bool pin_this_thread(int core) const;
  bool pin_this_thread_to_all() const;

  // The system's number of a core's first hardware thread (modulo the count); -1 if unknown.
  int processor(int core) const;

 private:
  Cores();

  struct Known;
  std::unique_ptr<Known> known_;
};

}  // namespace stint
