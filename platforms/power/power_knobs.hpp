// Which power states can be set on this machine, found out by doing it: what is there now is set,
// read back and put back. Nothing is left changed; what was found is kept in the file of
// saved_settings.hpp meanwhile, as by a run.
#pragma once

#include <string>
#include <vector>

#include "platforms/power/power_setting.hpp"

namespace stint {

struct PowerKnob {
  std::string unit;      // `processors`, `gpu-0`
  std::string quantity;  // `frequency`, `limit`
  std::string range;     // as names of states: `800MHz to 3000MHz`; of a limit what it is now
  bool can_be_set = false;
  std::string why_not;  // else
  std::string to_type;  // a command that helps; "" if none is known to
};

std::vector<PowerKnob> power_knobs(const PowerControl& control, const std::string& saved_file);

}  // namespace stint
