// Which counters a run reads: those asked for, or the best that this machine has, each believed
// only after probing.
//
// `automatic` takes the processors' energy from powercap, else from perf, and that of GPUs from
// NVML where the plan has any. Nothing here falls back on the model: no meter is an answer, with
// its reason.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/meters/energy_meter.hpp"
#include "platforms/meters/nvml_energy.hpp"
#include "platforms/meters/perf_power.hpp"
#include "platforms/meters/powercap.hpp"
#include "platforms/meters/probe.hpp"

namespace stint {

enum class MeterKind { automatic, powercap, perf, nvml, model };

// `auto`, `powercap`, `perf`, `nvml`, `model`; nothing if it is none of them.
std::optional<MeterKind> meter_kind(const std::string& name);

// Where counters are looked for; others than the machine's own are for tests.
struct MeterPlaces {
  std::string powercap = powercap_root;
  std::string perf = perf_power_root;
  std::string nvml = nvml_library;
  const SystemFiles* files = &SystemFiles::real();  // of the first two; outlives the counters
};

struct ChosenMeter {
  std::unique_ptr<EnergyMeter> meter;  // null: nothing can be measured
  std::string basis;                   // `measured:powercap`, …, `measured:powercap+nvml`; or ""
  std::vector<std::string> domains;    // that the meter reads
  std::vector<DomainReading> missing;  // that would be added, but cannot be read or believed
  std::string why_not_better;          // one line; "" if everything looked for is measured
  std::vector<std::string> remarks;    // what a reader of the joules should know
};

ChosenMeter choose_meter(MeterKind kind, bool with_gpus, const MeterPlaces& places = {},
                         const Probing& probing = {});

// All that could be read, probed, domains that are never added included: for people.
std::vector<EnergySource> all_energy_sources(const MeterPlaces& places = {},
                                             const Probing& probing = {});

}  // namespace stint
