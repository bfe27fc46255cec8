// A network planned for a calibrated machine and run on it, twice: what was predicted, what was
// measured, and how well the machine agrees with itself.
#pragma once

#include <string>
#include <vector>

#include "models/model.hpp"
#include "platforms/meters/choose_meter.hpp"
#include "platforms/platform.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// Of a step; joules of what counters see, without making the next batch of samples. Measured
// seconds are the median over the steps, joules the mean, and watts are joules over the mean of the
// counters' windows.
struct Spent {
  double seconds = 0;
  double joules = 0;
  double watts = 0;
};

struct ComparedRun {
  std::string name;   // of the network
  std::string basis;  // what its times were predicted from
  std::int64_t workers = 0;
  Schedule schedule;
  Spent predicted;
  std::vector<Spent> measured;  // by run

  Spent mean() const;  // of the runs
};

// Not yet run.
ComparedRun planned_run(const std::string& name, const Model& model, std::int64_t batch,
                        const Platform& platform, const std::string& basis);

// Runs it once more, so many steps.
void run_again(const MeterPlaces& places, std::int64_t steps, ComparedRun& compared);

// |predicted − measured| / measured, and how far apart the runs are.
double error_of(const ComparedRun& run, double (*quantity)(const Spent&));
double floor_of(const ComparedRun& run, double (*quantity)(const Spent&));

}  // namespace stint
