#include "planner/solver/silent_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

namespace stint {
namespace {

std::mutex mutex;
int alive = 0;
int output = -1;  // where it led before; -1: nothing was changed

}  // namespace

SilentOutput::SilentOutput() {
  const std::lock_guard lock(mutex);
  if (alive++ > 0) return;
  std::fflush(stdout);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (output >= 0) dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
}

SilentOutput::~SilentOutput() {
  const std::lock_guard lock(mutex);
  if (--alive > 0 || output < 0) return;
  std::fflush(stdout);
  dup2(output, STDOUT_FILENO);
  close(output);
  output = -1;
}

}  // namespace stint
