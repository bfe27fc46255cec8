// Quantities as people read them: `12.5 MiB`, `3.2 s`, `455 J`, `22.9 %`. Four digits at most, so
// not for files: those keep every digit.
#pragma once

#include <cstdint>
#include <string>

namespace stint {

std::string bytes_text(std::int64_t bytes);  // powers of 1024
std::string bytes_per_second_text(double rate);
std::string seconds_text(double seconds);
std::string joules_text(double joules);
std::string watts_text(double watts);
std::string flops_text(double flops);    // `7.7 Gflop`
std::string percent_text(double share);  // 1 is 100 %

// The sum, or the nearest that fits: files may hold sizes that no machine has.
std::int64_t add_bytes(std::int64_t a, std::int64_t b);

// `1 task`, `2 tasks`; the plural where it is not the noun with an s.
std::string count_text(std::int64_t count, const std::string& noun, const std::string& plural = "");

}  // namespace stint
