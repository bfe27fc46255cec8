#include "benchmarks/overhead/served.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace stint {
namespace {

void write_answer(int channel, double answer) {
  if (send(channel, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
    throw std::runtime_error("nobody waits for an answer any more");
}

// The first answer says that all is prepared. Until the other end is closed.
void serve(int channel, const Round& round) {
  write_answer(channel, 0);
  char request = 0;
  while (read(channel, &request, 1) == 1) write_answer(channel, round());
}

// The closing channel ends a child, not a signal, so that it tidies up; should the parent die while
// the child is stopped, the child goes on.
void outlive_signals() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGCONT);
}

// Leaves without the parent's destructors and buffered output.
[[noreturn]] void be_child(const std::string& name, int channel,
                           const std::function<Round()>& prepare) {
  int status = 0;
  try {
    outlive_signals();
    serve(channel, prepare());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    status = 1;
  }
  std::fflush(stderr);
  _exit(status);
}

}  // namespace

Served::Served(std::string name, const std::function<Round()>& prepare) : name_(std::move(name)) {
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  child_ = fork();
  if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  close(ends[child_ == 0 ? 0 : 1]);
  if (child_ == 0) be_child(name_, ends[1], prepare);
  channel_ = ends[0];
  await_answer();
}

// Closing alone would not be noticed: children forked later hold this end of the channel as well.
Served::~Served() {
  shutdown(channel_, SHUT_RDWR);
  close(channel_);
  kill(child_, SIGCONT);
  waitpid(child_, nullptr, 0);
}

double Served::round() {
  const char request = 1;
  kill(child_, SIGCONT);
  if (send(channel_, &request, 1, MSG_NOSIGNAL) != 1) throw std::runtime_error(name_ + " is gone");
  return await_answer();
}

double Served::await_answer() {
  double answer = 0;
  if (recv(channel_, &answer, sizeof answer, MSG_WAITALL) != sizeof answer)
    throw std::runtime_error(name_ + " has failed");
  kill(child_, SIGSTOP);
  return answer;
}

}  // namespace stint
