// Kernels of the program. Their device code cannot run here, so whoever launches a kernel registers
// what it does, element by element, as a function of the host, and says before each launch which
// device ranges it reads and writes. These are the C functions that a launcher finds by name.
#pragma once

#include <cstddef>

extern "C" {

struct stint_device_range {
  const void* first;
  std::size_t bytes;
  int writes;  // 1: written, and perhaps read
};

// `kernel` is the address that launches name; `run` executes the whole grid, on copies of the
// arguments in which device addresses have become addresses that the host may read.
void stint_host_kernel(const void* kernel, const char* name, const std::size_t* argument_bytes,
                       int argument_count, void (*run)(void** arguments));

// Of the next launch on this thread.
void stint_host_ranges(const stint_device_range* ranges, int count);

// Threads of the host synchronise by means that are not CUDA's: what the calling one has done and
// knows to be done, those know who hear of the same `what` and `count` afterwards.
void stint_host_tells(const void* what, unsigned long long count);
void stint_host_hears(const void* what, unsigned long long count);

// The host itself reads or writes pinned memory now.
void stint_host_touches(const char* name, const void* first, std::size_t bytes, int writes);
}
