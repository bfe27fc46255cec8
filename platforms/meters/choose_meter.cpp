#include "platforms/meters/choose_meter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stint {
namespace {

// Puts a meter together, source by source.
class Choice {
 public:
  explicit Choice(const Probing& probing) : probing_(probing) {}

  // False, and says why, if none of its domains can be believed.
  bool take(EnergySource source, DomainKind needed) {
    std::erase_if(source.domains, [](const EnergyDomain& domain) { return !domain.is_added(); });
    probe(source.domains, probing_);
    const bool usable = std::any_of(
        source.domains.begin(), source.domains.end(),
        [&](const EnergyDomain& domain) { return domain.kind == needed && domain.counter; });
    explain(source, usable);
    if (!usable) return false;
    sources_.push_back(source.is_real ? source.name : "fake");
    for (EnergyDomain& domain : source.domains) {
      if (domain.counter) {
        add(std::move(domain));
      } else {
        result_.missing.push_back({domain.name, domain.kind, std::nullopt, domain.why_not});
      }
    }
    return true;
  }

  ChosenMeter chosen() {
    if (!domains_.empty()) {
      result_.meter = std::make_unique<EnergyMeter>(std::move(domains_));
      sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
      result_.basis = fmt::format("measured:{}", fmt::join(sources_, "+"));
    }
    return std::move(result_);
  }

 private:
  void add(EnergyDomain domain) {
    result_.domains.push_back(domain.name);
    if (!domain.remark.empty()) result_.remarks.push_back(domain.name + ": " + domain.remark);
    domains_.push_back(std::move(domain));
  }

  void explain(const EnergySource& source, bool usable) {
    if (source.domains.empty()) {
      return say(source.name,
                 source.why_none.empty() ? "only domains that are never added" : source.why_none);
    }
    for (const EnergyDomain& domain : source.domains) {
      if (!domain.counter) say(usable ? domain.name : source.name, domain.why_not);
      if (!domain.counter && !usable) return;  // one reason is enough
    }
  }

  void say(const std::string& what, const std::string& why) {
    std::string& text = result_.why_not_better;
    text += (text.empty() ? "" : "; ") + what + ": " + why;
  }

  const Probing& probing_;
  std::vector<std::string> sources_;
  std::vector<EnergyDomain> domains_;
  ChosenMeter result_;
};

}  // namespace

std::optional<MeterKind> meter_kind(const std::string& name) {
  if (name == "auto") return MeterKind::automatic;
  if (name == "powercap") return MeterKind::powercap;
  if (name == "perf") return MeterKind::perf;
  if (name == "nvml") return MeterKind::nvml;
  if (name == "model") return MeterKind::model;
  return std::nullopt;
}

ChosenMeter choose_meter(MeterKind kind, bool with_gpus, const MeterPlaces& places,
                         const Probing& probing) {
  Choice choice(probing);
  const bool any = kind == MeterKind::automatic;
  bool has_packages = false;
  if (any || kind == MeterKind::powercap) {
    has_packages =
        choice.take(powercap_source(places.powercap, *places.files), DomainKind::package);
  }
  if (kind == MeterKind::perf || (any && !has_packages)) {
    choice.take(perf_power_source(places.perf, *places.files), DomainKind::package);
  }
  if (kind == MeterKind::nvml || (any && with_gpus)) {
    choice.take(nvml_source(places.nvml), DomainKind::gpu);
  }
  return choice.chosen();
}

std::vector<EnergySource> all_energy_sources(const MeterPlaces& places, const Probing& probing) {
  std::vector<EnergySource> sources;
  sources.push_back(powercap_source(places.powercap, *places.files));
  sources.push_back(perf_power_source(places.perf, *places.files));
  sources.push_back(nvml_source(places.nvml));
  for (EnergySource& source : sources) probe(source.domains, probing);
  return sources;
}

}  // namespace stint
