#include "schedules/share.hpp"

#include <cmath>
#include <exception>

#include "files/input_error.hpp"

namespace stint {

double share_of(const std::string& text, const std::string& option) {
  std::size_t used = 0;
  double percent = -1;
  try {
    percent = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool good = used > 0 && text.substr(used) == "%" && std::isfinite(percent) && percent >= 0;
  if (!good) throw InputError(option + ' ' + text, "no share; expected one such as 10%");
  return percent / 100;
}

}  // namespace stint
