// How fast bytes move between the memories of this machine: a sweep of sizes for every link, from
// which latency and rate follow by the fit that time models get.
//
// Storage is written and read as `run` does it, past the page cache where the file system allows
// that. Between NUMA memories a core of the first copies; to and from GPUs their own engines do,
// over pinned memory, each way by itself, timed by the GPU. What joules a byte takes is not
// measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace stint {

// Seconds of a copy of so many bytes over a link.
using CopyClock = std::function<double(const Link&, std::int64_t bytes)>;

// For links of this machine, as discover_platform() finds them; `folder` is where storage is.
// Throws std::runtime_error if the disk is full or fails.
CopyClock copy_clock_here(const Platform& platform, const std::string& folder);

// Prices latency and rate of every link anew. A sweep in which larger copies take no longer leaves
// a link as it is.
void measure_links(const CopyClock& clock, const std::vector<std::int64_t>& sizes,
                   Platform& platform);

// The same for links to and from GPUs alone, as they copy here.
void measure_gpu_links(const std::vector<std::int64_t>& sizes, Platform& platform);

}  // namespace stint
