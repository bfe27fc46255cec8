// What the program `show` answers for a file, as text; main.cpp reads the command line and prints.
#pragma once

#include <optional>
#include <string>

#include "platforms/meters/choose_meter.hpp"
#include "platforms/power/power_setting.hpp"
#include "schedules/any_file.hpp"
#include "schedules/judged.hpp"
#include "schedules/perturb.hpp"
#include "schedules/simgrid.hpp"

namespace stint {

// A file and, if it is a schedule, what the judge says about it.
struct Shown {
  std::string file;  // as messages name it
  AnyFile content;
  std::optional<Judged> judged;
  std::int64_t batch = 1;  // for which a model of layers is summarised
  MeterPlaces counters;    // where this machine's are looked for
  PowerPlaces power;       // likewise, what sets its power states
  bool has_violations() const { return judged && !judged->violations.empty(); }
};

Shown read_shown(const std::string& path);

// Throws InputError unless it is a model of layers, the only one with a batch to choose.
void set_batch(Shown& shown, std::int64_t batch);

std::string summary(const Shown& shown);
std::string summary_json(const Shown& shown);  // one object on one line
std::string check_text(const Shown& shown);    // a line for every violation, or `file: ok, …`
std::string dot_text(const Shown& shown);

// Throw InputError unless it is a schedule that can be simulated.
std::string trace_text(const Shown& shown);
std::string paje_text(const Shown& shown);

// Throw InputError unless it is a schedule without violations.
SimgridFiles simgrid_files(const Shown& shown);
Perturbation perturb(const Shown& shown, const PerturbOptions& options);

// Throws InputError unless both are schedules.
std::string comparison(const Shown& first, const Shown& second);

// {"first": …, "second": …}: two summaries of any files.
std::string comparison_json(const Shown& first, const Shown& second);

}  // namespace stint
