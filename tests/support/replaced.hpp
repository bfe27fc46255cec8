// A text with one place in it changed, for tests of what a change does.
#pragma once

#include <string>

namespace stint {

// The first `from` replaced by `to`; throws if there is none.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace stint
