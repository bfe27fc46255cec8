#include "platforms/meters/energy_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace stint {
namespace {

constexpr double least_period_seconds = 1e-3;

double sampling_period(const std::vector<EnergyDomain>& domains) {
  double period = 1;
  for (const EnergyDomain& domain : domains) {
    period = std::min(period, domain.sampling_seconds);
    if (!domain.modulus) continue;
    const double range = static_cast<double>(*domain.modulus) * domain.joules_per_unit;
    period = std::min(period, range / (4 * most_watts));
  }
  return std::max(period, least_period_seconds);
}

}  // namespace

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

EnergyMeter::EnergyMeter(std::vector<EnergyDomain> domains, SecondsNow now, Sampling sampling)
    : now_(std::move(now)), period_seconds_(sampling_period(domains)) {
  for (EnergyDomain& domain : domains) {
    if (!domain.counter) continue;
    EnergySum sum(domain.joules_per_unit, domain.modulus, domain.probed_watts);
    metered_.push_back({std::move(domain), std::move(sum)});
  }
  sample();
  if (sampling == Sampling::by_thread && !metered_.empty()) {
    sampler_ = std::thread([this] { sample_until_stopped(); });
  }
}

EnergyMeter::~EnergyMeter() {
  {
    const std::scoped_lock alone(reading_);
    stopped_ = true;
  }
  stop_.notify_all();
  if (sampler_.joinable()) sampler_.join();
}

void EnergyMeter::sample_until_stopped() {
  std::unique_lock lock(reading_);
  const std::chrono::duration<double> period(period_seconds_);
  while (!stop_.wait_for(lock, period, [this] { return stopped_; })) sample_locked();
}

void EnergyMeter::sample() {
  const std::scoped_lock alone(reading_);
  sample_locked();
}

void EnergyMeter::sample_locked() {
  for (Metered& metered : metered_) {
    if (!metered.sum.fault().empty()) continue;
    try {
      const std::uint64_t units = metered.domain.counter->read();
      metered.sum.add(units, now_());
    } catch (const CounterFault& fault) {
      metered.sum.fail(fault.what());
    }
  }
}

void EnergyMeter::begin_window() {
  const std::scoped_lock alone(reading_);
  sample_locked();
  for (Metered& metered : metered_) metered.begin_joules = metered.sum.joules();
  begin_seconds_ = now_();
}

EnergyReading EnergyMeter::end_window() {
  const std::scoped_lock alone(reading_);
  const double seconds = now_() - begin_seconds_;
  sample_locked();
  for (Metered& metered : metered_) {
    metered.window_joules = metered.sum.joules() - metered.begin_joules;
    metered.total_joules += metered.window_joules;
  }
  total_seconds_ += seconds;
  ++windows_;
  return reading(&Metered::window_joules, seconds, 1);
}

EnergyReading EnergyMeter::total() const {
  const std::scoped_lock alone(reading_);
  return reading(&Metered::total_joules, total_seconds_, windows_);
}

EnergyReading EnergyMeter::reading(double Metered::*joules, double seconds,
                                   std::int64_t windows) const {
  EnergyReading result{.seconds = seconds, .windows = windows};
  for (const Metered& metered : metered_) {
    DomainReading domain{metered.domain.name, metered.domain.kind, std::nullopt,
                         metered.sum.fault()};
    if (domain.why_not.empty() && metered.*joules <= 0) {
      domain.why_not = fmt::format("did not move in {:.3g} s", seconds);
    }
    if (domain.why_not.empty()) domain.joules = metered.*joules;
    result.domains.push_back(std::move(domain));
  }
  return result;
}

}  // namespace stint
