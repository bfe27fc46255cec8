#include "tests/cuda_host/calls.hpp"

#include <map>
#include <string_view>

#include "tests/cuda_host/settings.hpp"

namespace cuda_host {
namespace {

enum class CalledLibrary { runtime, blas, dnn };

int status_of(CalledLibrary library, cudaError_t error) {
  if (error == cudaSuccess || library == CalledLibrary::runtime) return error;
  const bool is_blas = library == CalledLibrary::blas;
  if (error == cudaErrorInsufficientDriver)
    return is_blas ? int{CUBLAS_STATUS_NOT_INITIALIZED} : int{CUDNN_STATUS_NOT_INITIALIZED};
  if (error == cudaErrorMemoryAllocation)
    return is_blas ? int{CUBLAS_STATUS_ALLOC_FAILED}
                   : int{CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED};
  if (error == cudaErrorInvalidValue)
    return is_blas ? int{CUBLAS_STATUS_INVALID_VALUE} : int{CUDNN_STATUS_BAD_PARAM};
  return is_blas ? int{CUBLAS_STATUS_EXECUTION_FAILED} : int{CUDNN_STATUS_EXECUTION_FAILED};
}

// Errors after which the manual allows nothing but ending the process.
bool is_sticky(int error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure ||
         error == cudaErrorECCUncorrectable || error == cudaErrorDevicesUnavailable ||
         error == cudaErrorAssert;
}

// What is given back is given back, whatever the call answers.
bool releases(std::string_view name) {
  return name.find("Free") != name.npos || name.find("Destroy") != name.npos;
}

// A wait that fails tells of work that failed before: it has waited nonetheless.
bool waits(std::string_view name) { return name.find("Synchronize") != name.npos; }

// What a test has ordered for this call; 0 if nothing. A failure "of any call" is an error of the
// runtime, which the libraries pass on as theirs.
int ordered_failure(HostMachine& machine, CalledLibrary library, const std::string& name) {
  static auto* const counts = new std::map<std::string, std::int64_t>;  // by name, and of all
  const std::int64_t of_name = ++(*counts)[name];
  const std::int64_t of_all = ++(*counts)["*"];
  const auto& failure = settings().failure;
  if (!failure || failure->occurrence != (failure->call == "*" ? of_all : of_name)) return 0;
  if (failure->call == name && library != CalledLibrary::runtime) return failure->code;
  if (failure->call != name && failure->call != "*") return 0;
  if (is_sticky(failure->code)) machine.lose(cudaError_t(failure->code));
  return status_of(library, cudaError_t(failure->code));
}

int try_body(CalledLibrary library, const char* name, HostMachine& machine, HostMachine::Lock& lock,
             const CallBody& body) {
  try {
    body(machine, lock);
    return 0;
  } catch (const CallMisuse& misuse) {
    report_finding(std::string(name) + ": " + misuse.what());
    if (is_sticky(misuse.code)) machine.lose(misuse.code);
    return status_of(library, misuse.code);
  } catch (const CallFault& fault) {
    return status_of(library, fault.code);
  } catch (const StatusFault& fault) {
    return fault.status;
  } catch (const std::bad_alloc&) {
    return status_of(library, cudaErrorMemoryAllocation);
  }
}

int perform(CalledLibrary library, const char* name, const CallBody& body) {
  if (settings().no_device) return status_of(library, cudaErrorInsufficientDriver);
  HostMachine& machine = HostMachine::get();
  HostMachine::Lock lock(machine.mutex);
  trace_call(name);
  const int ordered = ordered_failure(machine, library, name);
  const bool is_lost = machine.lost != cudaSuccess;
  const bool is_run = releases(name) || (!is_lost && (ordered == 0 || waits(name)));
  const int status = is_run ? try_body(library, name, machine, lock, body) : 0;
  if (ordered != 0) return ordered;
  return machine.lost != cudaSuccess ? status_of(library, machine.lost) : status;
}

}  // namespace

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

void told_by_program(const char* name, const std::function<void(HostMachine&)>& body) {
  if (settings().no_device) return;
  HostMachine& machine = HostMachine::get();
  const HostMachine::Lock lock(machine.mutex);
  if (machine.lost != cudaSuccess) return;
  try {
    body(machine);
  } catch (const CallMisuse& misuse) {
    report_finding(std::string(name) + ": " + misuse.what());
  }
}

cudaError_t runtime_call(const char* name, const CallBody& body) {
  const auto error = static_cast<cudaError_t>(perform(CalledLibrary::runtime, name, body));
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

cublasStatus_t blas_call(const char* name, const CallBody& body) {
  return static_cast<cublasStatus_t>(perform(CalledLibrary::blas, name, body));
}

cudnnStatus_t dnn_call(const char* name, const CallBody& body) {
  return static_cast<cudnnStatus_t>(perform(CalledLibrary::dnn, name, body));
}

void expect_pointer(const void* pointer) {
  if (pointer == nullptr) throw CallFault(cudaErrorInvalidValue, "a pointer is null");
}

float host_scalar(const HostMachine& machine, const void* at) {
  expect_pointer(at);
  if (machine.memory.on_device(at))
    throw CallMisuse(cudaErrorInvalidValue, "is given a scalar on the device; it expects the host");
  return *static_cast<const float*>(at);
}

}  // namespace cuda_host
