// `calibrate` without its command line: this machine as a platform, with the kernels that a network
// runs on it.
#pragma once

#include <atomic>
#include <string>

#include "executor/calibrate/measure_kernels.hpp"
#include "models/lowering.hpp"
#include "platforms/platform.hpp"

namespace stint {

// How the network will be lowered, as in a request; a schedule says it itself.
struct CalibrateOptions {
  std::int64_t batch = 1;
  std::int64_t microbatches = 1;
  std::int64_t leaves = 1;
  std::int64_t grain = 0;
  ImageLayout layout = ImageLayout::nhwc;
  MeasureProgress progress = [](std::size_t, std::size_t) {};
};

// `file` is a model of layers or a schedule of one. Throws InputError if it is neither. Every kind
// of core is measured by itself. When interrupted the platform is not complete.
Platform calibrate(const std::string& file, const CalibrateOptions& options,
                   const std::atomic<bool>& interrupted);

// What was measured, for people.
std::string calibration_text(const Platform& platform);

}  // namespace stint
