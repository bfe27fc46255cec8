#include "executor/run_meter.hpp"

#include <algorithm>

#include "executor/accelerator.hpp"
#include "files/input_error.hpp"
#include "schedules/simulate.hpp"

namespace stint {
namespace {

ChosenMeter chosen_for(const Platform& platform, const MeterOptions& options) {
  if (options.kind != MeterKind::model) {
    return choose_meter(options.kind, has_gpus(platform), options.places, options.probing);
  }
  ChosenMeter none;
  none.why_not_better = "the model was asked for, no counter was looked for";
  return none;
}

JoulesBy joules_on(const Schedule& schedule, const Platform& part) {
  Schedule priced = schedule;
  priced.platform = part;
  return simulate(priced).joules_by;
}

}  // namespace

RunMeter::RunMeter(const Schedule& schedule, const MeterOptions& options)
    : schedule_(schedule), chosen_(chosen_for(schedule.platform, options)) {
  if (chosen_.meter) return;
  if (options.required) throw NotMeasured("no measured energy: " + chosen_.why_not_better);
  if (options.kind != MeterKind::automatic && options.kind != MeterKind::model) {
    throw InputError(
        "--meter", chosen_.why_not_better + "; expected a counter that can be read, see show here");
  }
}

void RunMeter::report(RunReport& report) const {
  std::string why = chosen_.why_not_better;
  if (chosen_.meter) {
    const EnergyReading total = chosen_.meter->total();
    for (const DomainReading& domain : total.domains) {
      if (!domain.joules) why += (why.empty() ? "" : "; ") + domain.name + ": " + domain.why_not;
    }
    report_counters(total, report);
    for (const std::string& remark : chosen_.remarks) report.notes.push_back(remark);
  }
  report.energy.why_not_better = why.empty() ? std::nullopt : std::optional(why);
}

// Those that could not be read at all included.
std::vector<DomainReading> RunMeter::all_domains(const EnergyReading& total) const {
  std::vector<DomainReading> all = chosen_.missing;
  all.insert(all.end(), total.domains.begin(), total.domains.end());
  return all;
}

std::optional<PlatformParts> RunMeter::parts() const {
  if (!chosen_.meter) return std::nullopt;
  return split_by_coverage(schedule_.platform, all_domains(chosen_.meter->total()));
}

void RunMeter::report_counters(const EnergyReading& total, RunReport& report) const {
  const Platform& platform = schedule_.platform;
  const std::vector<DomainReading> all = all_domains(total);
  const auto windows = static_cast<double>(std::max<std::int64_t>(1, total.windows));
  MeasuredEnergy measured{.seconds = total.seconds / windows};
  for (const DomainReading& domain : total.domains) {
    if (!domain.joules) continue;
    measured.domains.push_back(
        {domain.name, *domain.joules / windows, is_compared(platform, all, domain)});
  }
  if (measured.joules() <= 0) return;
  for (const DomainEnergy& domain : measured.domains)
    report.energy.domains.push_back(domain.domain);
  const PlatformParts parts = split_by_coverage(platform, all);
  measured.predicted_covered = joules_on(schedule_, parts.covered);
  measured.predicted_uncovered = joules_on(schedule_, parts.uncovered);
  report.energy.basis = chosen_.basis;
  report.measured.joules = measured.joules();
  report.energy.measured = std::move(measured);
}

}  // namespace stint
