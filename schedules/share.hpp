// Shares as options give them: `10%` is 0.1.
#pragma once

#include <string>

namespace stint {

// Throws InputError, naming the option, unless it is a number from 0 on and a percent sign.
double share_of(const std::string& text, const std::string& option);

}  // namespace stint
