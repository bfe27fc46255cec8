// `calibrate` without its command line: this machine as a platform. In general, with a time model
// for every op and measured links; or for one network, with the very kernels that it runs.
//
// Watts are measured where this machine has counters of energy that can be believed; else they stay
// what discovery assumes.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "executor/calibrate/designed_networks.hpp"
#include "executor/calibrate/judged_models.hpp"
#include "executor/calibrate/observe.hpp"
#include "models/lowering.hpp"
#include "platforms/meters/choose_meter.hpp"
#include "platforms/platform.hpp"

namespace stint {

struct CalibrateOptions {
  std::string file;  // a model of layers, or a schedule of one; "": this machine in general
  // How a model will be lowered, as in a request; a schedule says it itself.
  std::int64_t batch = 1;
  std::int64_t microbatches = 1;
  std::int64_t leaves = 1;
  std::int64_t grain = 0;
  ImageLayout layout = ImageLayout::nhwc;
  bool fuse = true;
  bool quick = false;                  // fewer and smaller shapes
  std::optional<DesignLimits> design;  // other shapes than these
  bool all_busy = true;                // else every other core rests while one is measured
  MeterPlaces meters;                  // where counters of energy are looked for
  double power_window_seconds = 2;     // counters are slow to be brought up to date
  MeasureProgress progress = [](std::size_t, std::size_t) {};
};

// How good the time models of a device are; empty if its kernels were measured instead.
struct DeviceErrors {
  std::string device;
  std::vector<ModelErrors> errors;
};

struct Calibration {
  Platform platform;
  std::vector<DeviceErrors> devices;  // in the platform's order
  bool all_busy = true;
  std::string power_basis;   // such as `measured:powercap`; "": watts are assumed
  std::string why_no_power;  // then
};

// Throws InputError if the file is neither model nor schedule. Every kind of core is measured by
// itself. When interrupted the platform is not complete.
Calibration calibrate(const CalibrateOptions& options, const std::atomic<bool>& interrupted);

}  // namespace stint
