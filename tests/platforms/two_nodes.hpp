// The text of a platform that uses every key of the format once, for tests that break it.
#pragma once

#include <string>

namespace stint {

// With the one occurrence of `from` replaced by `to`.
std::string two_nodes(const std::string& from = "", const std::string& to = "");

}  // namespace stint
