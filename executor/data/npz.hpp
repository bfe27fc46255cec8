// Several named arrays in one file, as numpy.savez writes them: a zip archive of .npy files, stored
// without compression. Nothing more of zip: no compression, no encryption, at most 4 GiB.
#pragma once

#include <map>
#include <string>

#include "executor/data/npy.hpp"

namespace stint {

using NpzArrays = std::map<std::string, NpyArray>;

// Throws InputError, naming `file`, if the text is no such archive.
NpzArrays parse_npz(const std::string& text, const std::string& file);

// Throws std::runtime_error if it would be larger than 4 GiB.
std::string npz_text(const NpzArrays& arrays);

}  // namespace stint
