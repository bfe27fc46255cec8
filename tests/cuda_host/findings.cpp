#include "tests/cuda_host/findings.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

#include "tests/cuda_host/settings.hpp"

namespace cuda_host {
namespace {

std::mutex findings_mutex;
std::vector<std::string>& findings() {
  static auto* const all = new std::vector<std::string>;  // needed until the very end
  return *all;
}

// One write for each line, so that lines of processes that share a file stay whole.
void append_line(const std::string& path, const std::string& line) {
  if (path.empty()) return;
  if (std::FILE* const file = std::fopen(path.c_str(), "a")) {
    std::fputs((line + "\n").c_str(), file);
    std::fclose(file);
  }
}

}  // namespace

void report_finding(const std::string& text) {
  {
    const std::lock_guard guard(findings_mutex);
    findings().push_back(text);
  }
  std::fputs(("cuda host: " + text + "\n").c_str(), stderr);
  append_line(settings().report_path, text);
}

std::vector<std::string> take_findings() {
  const std::lock_guard guard(findings_mutex);
  return std::exchange(findings(), {});
}

void trace_call(const std::string& name) { append_line(settings().trace_path, name); }

}  // namespace cuda_host
