// What is fuzzed. Each takes the text of a file, good or bad, and does with it what the programs
// do. Bad input ends in an InputError of one line, which is caught here; anything else that
// escapes, and every std::logic_error thrown here, is a fault of ours.
#pragma once

#include <string>

namespace stint {

// Read, write, read again: nothing may change.
void fuzz_graph(const std::string& text);
void fuzz_platform(const std::string& text);

// Likewise, then judge it; if its names and its order are sound, simulate it.
void fuzz_schedule(const std::string& text);

}  // namespace stint
