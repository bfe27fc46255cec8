// What the energy of a run is measured with: counters of this machine, read around every measured
// step, or the model (model_meter.hpp) where there are none.
//
// A window is one step, so what passes between steps (inputs, hashes) is not counted; the joules
// that are reported are the mean over the steps.
#pragma once

#include "platforms/meters/choose_meter.hpp"
#include "schedules/run_report.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// A counter is required and there is none.
struct NotMeasured : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct MeterOptions {
  MeterKind kind = MeterKind::model;
  MeterPlaces places;
  bool required = false;
  Probing probing;
};

class RunMeter {
 public:
  // Probes, which takes a tenth of a second where there is a counter. Throws NotMeasured, and
  // InputError if a counter is asked for by name and there is none.
  RunMeter(const Schedule& schedule, const MeterOptions& options);

  EnergyMeter* counters() const { return chosen_.meter.get(); }  // null: modelled

  // Replaces what the model says by what the counters say, and says why there is no better.
  void report(RunReport& report) const;

 private:
  void report_counters(const EnergyReading& total, RunReport& report) const;

  const Schedule& schedule_;
  ChosenMeter chosen_;
};

}  // namespace stint
