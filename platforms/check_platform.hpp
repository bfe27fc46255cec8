// The pieces of check(platform). All throw InputError, naming the place as a JSON pointer. Used by
// check_*.cpp only, but for the limits, which the reader needs before it narrows a number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "platforms/platform.hpp"

namespace stint {

inline constexpr int most_workers_of_a_device = 65536;
inline constexpr std::int64_t most_workers = 1 << 20;  // of a platform, links included
inline constexpr int most_cache_levels = 16;
inline constexpr std::size_t most_correction_points = 256;  // every task is compared with each
inline constexpr double most_correction = 3;                // and at least a third

// Physical numbers beyond these would only overflow sums and products later on.
inline constexpr double least_positive = 1e-30;
inline constexpr double most_of_anything = 1e30;

// A name is part of longer ones (`n0/cpu/3`, `n0/ram>n0/disk`, `n0/ram=4GiB`), so it has none of
// their marks.
void check_name(const std::string& path, const std::string& name);

// The same for item/name, which must also be new; `among` says where.
void check_new_name(const std::string& item, const std::string& name, const std::string& among,
                    std::set<std::string>& taken);

void check_number(const std::string& path, double value, double least);
void check_bytes(const std::string& path, std::int64_t bytes);

// Quantities under fixed keys of an item, each of at least 0.
void check_quantities(const std::string& item,
                      std::initializer_list<std::pair<const char*, const Quantity*>> named);
// Quantities under keys that the author of the file chose.
void check_quantities(const std::string& item, const std::map<std::string, Quantity>& quantities);

// Everything about a device but its name and its memory.
void check_device(const std::string& at, const Device& device);

}  // namespace stint
