// What the host implementation found wrong: races, accesses outside allocations, leaks. Each
// finding is a line on stderr and in the report; a process that ends with any of them ends with
// code 97, so that no test can pass over one.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace cuda_host {

constexpr int exit_code_of_findings = 97;

// Ends a call with an error of the manual. What is also a finding is misuse that the manual leaves
// undefined or that a program should not have tried; plain refusals, such as out of memory, are
// not.
struct CallFault : std::runtime_error {
  CallFault(cudaError_t code_, const std::string& text) : std::runtime_error(text), code(code_) {}
  cudaError_t code;
};

struct CallMisuse : CallFault {
  using CallFault::CallFault;
};

// Ends a call of cuBLAS or cuDNN with a status of its own.
struct StatusFault : std::runtime_error {
  StatusFault(int status_, const std::string& text) : std::runtime_error(text), status(status_) {}
  int status;
};

void report_finding(const std::string& text);
std::vector<std::string> take_findings();  // for tests that provoke them: these no longer count

// A line in the trace: one per call.
void trace_call(const std::string& name);

}  // namespace cuda_host
