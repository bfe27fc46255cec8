// The checks behind check(platform), for readers that know where the platform stands.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/platform.hpp"

namespace stint {

inline constexpr int most_workers_of_a_device = 65536;
inline constexpr std::int64_t most_workers = 1 << 20;  // of a platform, links included

// `prefix` goes before the JSON pointer of a fault: "" or "s.json: /platform".
void check(const Platform& platform, const std::string& prefix);

}  // namespace stint
