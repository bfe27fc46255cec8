#include "tests/cuda_host/child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace cuda_host {
namespace {

[[noreturn]] void be_child(int err, const ChildSettings& settings,
                           const std::function<void()>& body) {
  dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : settings)
    setenv(("STINT_CUDA_HOST_" + name).c_str(), value.c_str(), 1);
  // A fault is looked for: the default action says it best.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(signal, SIG_DFL);
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(1);
  }
  std::exit(0);
}

std::string all_from(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, got);
  return text;
}

}  // namespace

ChildEnd run_in_child(const ChildSettings& settings, const std::function<void()>& body) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) be_child(ends[1], settings, body);
  close(ends[1]);
  ChildEnd end{.err = all_from(ends[0])};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  end.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  _exit(1);
}

}  // namespace cuda_host
