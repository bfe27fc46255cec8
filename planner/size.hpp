// Sizes as people give them on a command line: 1048576, 512MiB, 2GB, 1.5GiB, or a share: 60%.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stint {

struct Size {
  std::int64_t bytes = 0;
  std::optional<double> percent;  // given instead of bytes
};

// Throws InputError(where, …) if the text is no size, or one beyond int64. Fractions of a byte are
// dropped.
Size parse_size(const std::string& text, const std::string& where);

// One --memory option: NAME=SIZE, or a SIZE alone.
struct MemoryOption {
  std::string name;  // "" if there is none
  Size size;
};
MemoryOption parse_memory_option(const std::string& text);

}  // namespace stint
