// A powercap tree of one package that draws known watts: so many all the time, and so many more for
// every second that this process is on a core. Its counter is worked out when it is read, so that
// what a meter says of a window can be held against what was drawn in it, to the microjoule, on a
// machine however busy.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "platforms/system_files.hpp"

namespace stint {

struct DrawnWatts {
  double idle = 0;
  double busy = 0;
};

// What the process had done when a counter was read.
struct CountedWork {
  double wall_seconds = 0;
  double core_seconds = 0;
};

class WorkCounter : public SystemFiles {
 public:
  // With several threads at work while others look at the counter, bringing their clocks up to date
  // makes a reading take some ten microseconds more. The counter stands still while it is read.
  enum class Threads { one, several };
  explicit WorkCounter(const DrawnWatts& watts, Threads threads = Threads::one)
      : watts_(watts), threads_(threads) {}

  static constexpr const char* root = "counter of work";

  std::string read(const std::string& path) const override;
  std::vector<std::string> names(const std::string& folder) const override;

  double joules(const CountedWork& begin, const CountedWork& end) const;
  std::vector<CountedWork> readings() const;  // so far

 private:
  DrawnWatts watts_;
  Threads threads_;
  mutable std::mutex reading_;  // meters have a thread of their own
  mutable std::vector<CountedWork> readings_;
  mutable CountedWork spent_;  // in readings so far
};

}  // namespace stint
