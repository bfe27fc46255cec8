// Names that other files carry on must be UTF-8 without control characters, as in our own files.
#pragma once

#include <string_view>

namespace stint {

bool is_plain_utf8(std::string_view text);

}  // namespace stint
