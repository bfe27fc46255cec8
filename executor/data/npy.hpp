// Arrays in NumPy's file format (NEP 1): a header with type and shape, then the elements, row by
// row. The types are those that samples and state come in: <f4, <f8, |u1, <i4, <i8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

enum class NpyType { f4, f8, u1, i4, i8 };
std::int64_t bytes_of(NpyType type);

struct NpyArray {
  NpyType type = NpyType::f4;
  std::vector<std::int64_t> shape;
  std::string bytes;  // as many as type and shape say
};

// Throws InputError, naming `file`, if the text is no such array, or is shorter or longer than it
// says.
NpyArray parse_npy(std::string_view text, const std::string& file);

std::string npy_text(const NpyArray& array);

}  // namespace stint
