// Damages protocol buffers as json_mutator.hpp damages JSON: fields lost, doubled, out of order or
// from another place, numbers just beyond their range. Lengths stay right, so the result mostly
// gets past the parser.
#pragma once

#include <random>
#include <string>

namespace stint {

// The same bytes and state of `random` give the same result on every machine. What is no message is
// damaged as bytes.
std::string mutate_message(const std::string& bytes, std::mt19937_64& random);

}  // namespace stint
