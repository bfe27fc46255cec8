#include "platforms/meters/nvml_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

constexpr double counter_refresh_seconds = 0.1;  // 10 to 100 ms are seen
constexpr double power_period_seconds = 0.02;

class MillijouleCounter : public EnergyCounter {
 public:
  MillijouleCounter(std::shared_ptr<const Nvml> nvml, int gpu)
      : nvml_(std::move(nvml)), gpu_(gpu) {}
  std::uint64_t read() override {
    try {
      return nvml_->energy_millijoules(gpu_);
    } catch (const NvmlError& error) {
      throw CounterFault(error.what());
    }
  }

 private:
  std::shared_ptr<const Nvml> nvml_;
  int gpu_;
};

// Microjoules: the mean of two samples over the time between them.
class SampledPower : public EnergyCounter {
 public:
  SampledPower(std::shared_ptr<const Nvml> nvml, int gpu, SecondsNow now)
      : nvml_(std::move(nvml)), gpu_(gpu), now_(std::move(now)), seconds_(now_()) {}

  std::uint64_t read() override {
    try {
      const double watts = nvml_->power_milliwatts(gpu_) / 1e3;
      const double seconds = now_();
      const double since = std::max(0.0, seconds - seconds_);
      joules_ += (watts_ < 0 ? watts : (watts + watts_) / 2) * since;
      watts_ = watts;
      seconds_ = seconds;
      return static_cast<std::uint64_t>(std::llround(joules_ * 1e6));
    } catch (const NvmlError& error) {
      throw CounterFault(error.what());
    }
  }

 private:
  std::shared_ptr<const Nvml> nvml_;
  int gpu_;
  SecondsNow now_;
  double seconds_;
  double watts_ = -1;  // none yet
  double joules_ = 0;
};

EnergyDomain domain_of(const std::shared_ptr<const Nvml>& nvml, int gpu, const SecondsNow& now) {
  EnergyDomain domain{.name = fmt::format("gpu-{}", gpu), .kind = DomainKind::gpu};
  try {
    nvml->energy_millijoules(gpu);
    domain.joules_per_unit = 1e-3;
    domain.refresh_seconds = counter_refresh_seconds;
    domain.counter = std::make_unique<MillijouleCounter>(nvml, gpu);
    return domain;
  } catch (const NvmlError& error) {
    domain.why_not = error.what();
  }
  try {
    nvml->power_milliwatts(gpu);
    domain.sampling_seconds = domain.refresh_seconds = power_period_seconds;
    domain.remark = fmt::format("power sampled every {:.0f} ms", power_period_seconds * 1e3);
    domain.why_not.clear();
    domain.counter = std::make_unique<SampledPower>(nvml, gpu, now);
  } catch (const NvmlError& error) {
    domain.why_not += fmt::format(", {}", error.what());
  }
  return domain;
}

}  // namespace

EnergySource nvml_source(const std::string& library, const SecondsNow& now) {
  EnergySource source{.name = "nvml", .is_real = library == nvml_library};
  try {
    const auto nvml = std::make_shared<const Nvml>(library);
    for (int gpu = 0; gpu < nvml->gpus(); ++gpu) {
      source.domains.push_back(domain_of(nvml, gpu, now));
    }
    if (source.domains.empty()) source.why_none = "no GPU";
  } catch (const NvmlError& error) {
    source.why_none = error.what();
  }
  return source;
}

}  // namespace stint
