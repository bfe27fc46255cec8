// What a test asks of the host implementation of CUDA, by environment variables (README.md lists
// them). Read once, at the first call; a variable that makes no sense ends the process at once,
// since a test that ran with other settings than it meant would prove nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuda_host {

enum class StreamOrder {
  eager,   // work runs when it is enqueued
  lazy,    // work runs when the host waits for it
  random,  // a thread runs what may run, in a seeded order, with delays
};

// The n-th call, of one name or of any, fails with this code.
struct InjectedFailure {
  std::string call;  // "*" is any call
  std::int64_t occurrence = 0;
  int code = 0;
};

// A clock by which operations take what a test says, whatever the host takes: so much for each, and
// for its bytes and flops.
struct DeviceClock {
  double operation_seconds = 0;
  double bytes_per_second = 0;
  double flops_per_second = 0;
  double copy_seconds = 0;
  double in_bytes_per_second = 0;  // of copies to a device
  double out_bytes_per_second = 0;
};

struct HostSettings {
  StreamOrder mode = StreamOrder::eager;
  std::uint64_t seed = 1;
  std::int64_t memory_bytes = std::int64_t{1} << 30;  // of each device
  int devices = 1;
  bool no_device = false;
  std::optional<InjectedFailure> failure;
  std::int64_t forgotten_wait = 0;          // the n-th wait of a stream for an event orders nothing
  std::int64_t operation_microseconds = 0;  // that every operation of a stream takes at least
  std::optional<DeviceClock> clock;         // then kernels only take time, and compute nothing
  std::int64_t dnn_bytes = 0;  // of workspace that convolutions need beyond what they did
  std::string report_path;     // findings go there as well
  std::string trace_path;      // one line for each call
};

const HostSettings& settings();

}  // namespace cuda_host
