// RAPL counters as the kernel's powercap tree shows them: `energy_uj` of every zone, in
// microjoules, which begins anew after `max_energy_range_uj` and one unit more.
//
// Packages (or their dies) are added, and so is dram, which stands below a package but is not part
// of it on servers. Cores and uncore are parts of a package, psys contains packages, and
// `intel-rapl-mmio` is the same silicon as `intel-rapl`: none of them is added. Since 5.10 only
// root may read `energy_uj` (CVE-2020-8694). Reference: Linux, drivers/powercap/powercap_sys.c and
// intel_rapl_common.c.
#pragma once

#include <string>

#include "platforms/meters/energy_domain.hpp"
#include "platforms/system_files.hpp"

namespace stint {

inline constexpr const char* powercap_root = "/sys/class/powercap";

// `files` must outlive the counters.
EnergySource powercap_source(const std::string& root = powercap_root,
                             const SystemFiles& files = SystemFiles::real());

}  // namespace stint
