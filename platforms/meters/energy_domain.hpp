// What a machine's counters of energy count: a domain is one counter and its place in the sum.
//
// Finding a counter (powercap.hpp, perf_power.hpp, nvml_energy.hpp) is not believing it: a virtual
// machine may show counters that never move. probe.hpp decides, energy_meter.hpp reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stint {

// More than one processor, memory or accelerator draws: what is beyond it is no reading.
inline constexpr double most_watts = 2000;

// `part` is inside a package (cores, uncore) and `whole` contains the packages (psys): neither is
// ever added to them.
enum class DomainKind { package, dram, gpu, part, whole };

// The message says why a counter gave no reading, in one line.
struct CounterFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class EnergyCounter {
 public:
  EnergyCounter() = default;
  virtual ~EnergyCounter() = default;
  EnergyCounter(const EnergyCounter&) = delete;
  EnergyCounter& operator=(const EnergyCounter&) = delete;

  // Units since some beginning, modulo the domain's modulus. Throws CounterFault.
  virtual std::uint64_t read() = 0;
};

struct EnergyDomain {
  std::string name;  // `package-0`, `dram`, `gpu-0`
  DomainKind kind = DomainKind::package;
  double joules_per_unit = 1e-6;
  std::optional<std::uint64_t> modulus;    // units after which the counter begins anew; or never
  double refresh_seconds = 1e-3;           // how often the counter is brought up to date, about
  double sampling_seconds = 1;             // the longest time between two readings
  std::unique_ptr<EnergyCounter> counter;  // null: cannot be read
  std::string why_not;                     // then: why
  double probed_watts = 0;                 // set by probe()
  std::string remark;                      // what a reader should know, such as sampled power
  bool is_added() const { return kind != DomainKind::part && kind != DomainKind::whole; }
};

// Where domains were looked for, and what would make more of them readable.
struct EnergySource {
  std::string name;     // `powercap`, `perf`, `nvml`
  bool is_real = true;  // false: a tree or library given in place of the machine's
  std::vector<EnergyDomain> domains;
  std::string why_none;  // if there is no domain at all
  std::string to_type;   // a command that helps; "" if none is known to
};

}  // namespace stint
