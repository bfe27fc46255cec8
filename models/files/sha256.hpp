// SHA-256 as lower-case hexadecimal: the names by which files refer to each other.
#pragma once

#include <string>
#include <string_view>

namespace stint {

std::string sha256(std::string_view bytes);

}  // namespace stint
