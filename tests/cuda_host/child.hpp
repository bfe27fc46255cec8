// Runs a piece of a test in a process of its own, in which the host implementation starts afresh
// with other settings. What ends the process (a fault, a leak found at its end) ends only that one.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace cuda_host {

struct ChildEnd {
  int exit = -1;    // code, or 128 + signal
  std::string err;  // what it wrote to stderr
};

// Settings by the last part of their name, such as {"MODE", "lazy"}.
using ChildSettings = std::map<std::string, std::string>;

ChildEnd run_in_child(const ChildSettings& settings, const std::function<void()>& body);

// Within a child: ends it with code 1 and a line that says what was expected.
void expect(bool holds, const std::string& what);
template <typename Status>
void expect_code(Status status, Status expected, const std::string& call) {
  expect(status == expected, call + " gives " + std::to_string(static_cast<int>(status)) +
                                 "; expected " + std::to_string(static_cast<int>(expected)));
}
template <typename Status>
void succeed(Status status, const std::string& call) {
  expect_code(status, Status{}, call);
}

}  // namespace cuda_host
