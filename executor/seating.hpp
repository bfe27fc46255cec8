// Which thread goes to which core, and how eagerly it may spin there.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "executor/program.hpp"
#include "platforms/cores.hpp"
#include "platforms/names.hpp"

namespace stint {

class Seating {
 public:
  Seating(const Platform& platform, const Program& program);
  ~Seating();  // the thread that made it may run anywhere again
  Seating(const Seating&) = delete;
  Seating& operator=(const Seating&) = delete;

  const std::vector<double>& spin_seconds() const { return spin_seconds_; }  // by lane

  // Pins the calling thread. That of a link or of a GPU runs wherever there is room; workers are
  // numbered across devices, as discovery does.
  void pin(WorkerId worker);

  // What a reader of times should know.
  std::vector<std::string> notes() const;

 private:
  std::vector<Worker> workers_;
  std::vector<bool> roams_;  // by worker
  const Cores& cores_ = Cores::here();
  int computing_ = 0;  // lanes that compute
  std::vector<double> spin_seconds_;
  std::atomic<bool> all_pinned_{true};
};

}  // namespace stint
