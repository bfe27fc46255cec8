// A function that is evaluated in a process of its own, on demand.
//
// Run-time systems keep threads and global state: two StarPU schedulers cannot share a process, and
// some spin while they have nothing to do, which would disturb the others. So every contestant
// lives in a child that is stopped until its round comes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace stint {

using Round = std::function<double()>;

class Served {
 public:
  // Forks; `prepare` runs in the child, and is waited for. Call it while this process has a single
  // thread. std::runtime_error as below.
  Served(std::string name, const std::function<Round()>& prepare);
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  // One evaluation; std::runtime_error if the child has failed, which has then said why on
  // standard error.
  double round();

 private:
  double await_answer();  // and stops the child

  std::string name_;
  pid_t child_ = 0;
  int channel_ = -1;
};

}  // namespace stint
