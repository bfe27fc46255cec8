// Damages JSON documents in the ways that files go wrong: a number just beyond its range, a name
// that means something else, an entry lost, doubled or out of order, a value from another place.
// The result is mostly still JSON, so it gets past the parser and to the checks behind it.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace stint {

// The same text and state of `random` give the same result on every machine. Text that is not JSON
// is damaged as bytes.
std::string mutate_json(const std::string& text, std::mt19937_64& random);

}  // namespace stint
