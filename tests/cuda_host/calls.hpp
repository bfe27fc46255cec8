// What every entry point of the libraries has in common: it takes the lock, leaves a trace, fails
// if a test wants it to or the device is lost, and turns what goes wrong into its library's code.
#pragma once

#include <cublas_api.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <functional>

#include "tests/cuda_host/machine.hpp"

namespace cuda_host {

using CallBody = std::function<void(HostMachine&, HostMachine::Lock&)>;

cudaError_t runtime_call(const char* name, const CallBody& body);
cublasStatus_t blas_call(const char* name, const CallBody& body);
cudnnStatus_t dnn_call(const char* name, const CallBody& body);

// What a program says of itself. No call of a library: it does not count as one and never fails,
// but may be a finding.
void told_by_program(const char* name, const std::function<void(HostMachine&)>& body);

// The last error of this thread's runtime calls.
cudaError_t& last_error();

// InvalidValue unless the pointer, through which a call answers, is there.
void expect_pointer(const void* pointer);

// A scalar that a library reads when it is called, from the host.
float host_scalar(const HostMachine& machine, const void* at);

}  // namespace cuda_host
