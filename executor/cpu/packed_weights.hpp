// A weight from its listed order into that in which it is stored, and back.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stint {

// `order` is the text of one (models/training/weight_order.hpp), or "" for no change.
std::vector<std::byte> in_stored_order(const std::string& order, std::span<const std::byte> listed);
std::vector<std::byte> in_listed_order(const std::string& order, std::span<const std::byte> stored);

}  // namespace stint
