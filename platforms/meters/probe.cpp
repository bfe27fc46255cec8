#include "platforms/meters/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace stint {
namespace {

struct Probed {
  EnergySum sum;
  double begin_seconds = 0;
  double end_seconds = 0;
  std::optional<std::uint64_t> first_units;
};

void read_into(EnergyDomain& domain, Probed& probed, double now) {
  try {
    const std::uint64_t units = domain.counter->read();
    if (!probed.first_units) probed.first_units = units;
    probed.sum.add(units, now);
    probed.end_seconds = now;
  } catch (const CounterFault& fault) {
    probed.sum.fail(fault.what());
  }
}

bool has_decided(const Probed& probed) {
  return probed.sum.joules() > 0 || !probed.sum.fault().empty();
}

void judge(EnergyDomain& domain, const Probed& probed) {
  domain.why_not = probed.sum.fault();
  const double seconds = probed.end_seconds - probed.begin_seconds;
  if (domain.why_not.empty() && probed.sum.joules() <= 0) {
    domain.why_not = fmt::format("{} {:.1f} s of work",
                                 probed.first_units == 0
                                     ? "reads 0, as a virtual machine's may, before and after"
                                     : "stands still over",
                                 seconds);
  }
  if (!domain.why_not.empty()) {
    domain.counter.reset();
    return;
  }
  domain.probed_watts = probed.sum.joules() / std::max(seconds, 1e-6);
}

}  // namespace

void work_for_a_tenth_of_a_second() {
  volatile double sum = 0;
  for (const double end = steady_seconds() + 0.1; steady_seconds() < end;) {
    for (int i = 1; i < 10000; ++i) sum = sum + 1.0 / i;
  }
}

void probe(std::vector<EnergyDomain>& domains, const Probing& probing) {
  std::vector<std::optional<Probed>> probed(domains.size());
  bool all_decided = true;
  const auto read_all = [&] {
    all_decided = true;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      if (!probed[i] || has_decided(*probed[i])) continue;
      read_into(domains[i], *probed[i], probing.now());
      all_decided = all_decided && has_decided(*probed[i]);
    }
  };
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (!domains[i].counter) continue;
    const double now = probing.now();
    probed[i] = Probed{EnergySum(domains[i].joules_per_unit, domains[i].modulus), now, now};
  }
  read_all();
  for (int round = 0; round < probing.most_rounds && !all_decided; ++round) {
    probing.work();
    read_all();
  }
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (probed[i]) judge(domains[i], *probed[i]);
  }
}

}  // namespace stint
