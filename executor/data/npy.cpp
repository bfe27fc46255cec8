#include "executor/data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

constexpr std::array<std::pair<NpyType, std::string_view>, 5> type_names{{{NpyType::f4, "<f4"},
                                                                          {NpyType::f8, "<f8"},
                                                                          {NpyType::u1, "|u1"},
                                                                          {NpyType::i4, "<i4"},
                                                                          {NpyType::i8, "<i8"}}};

// The header is the text of a Python dictionary, {'descr': '<f4', 'fortran_order': False, 'shape':
// (60000, 28, 28), }, as NumPy writes it.
class Header {
 public:
  Header(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyType type() const {
    const std::string_view quoted = after("descr");
    for (const auto& [type, name] : type_names) {
      if (quoted.substr(0, name.size() + 2) == fmt::format("'{}'", name)) return type;
    }
    fail("an array of another type; expected <f4, <f8, |u1, <i4 or <i8");
  }

  void expect_rows() const {
    if (!after("fortran_order").starts_with("False"))
      fail("an array in columns; expected one in rows (C order)");
  }

  std::vector<std::int64_t> shape() const {
    std::string_view rest = after("shape");
    const std::size_t end = rest.find(')');
    if (!rest.starts_with('(') || end == std::string_view::npos) fail_shape();
    rest = rest.substr(1, end - 1);
    std::vector<std::int64_t> shape;
    while (!rest.empty()) {
      std::int64_t count = -1;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
      if (error != std::errc() || count < 0) fail_shape();
      shape.push_back(count);
      rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
      rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
    }
    return shape;
  }

  [[noreturn]] void fail(const std::string& fault) const { throw InputError(file_, fault); }

 private:
  std::string_view after(const std::string& key) const {
    const std::string quoted = fmt::format("'{}':", key);
    const std::size_t at = text_.find(quoted);
    if (at == std::string_view::npos)
      fail(fmt::format("a header without {}; expected NumPy's", in_quotes(key)));
    std::string_view rest = text_.substr(at + quoted.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest;
  }
  [[noreturn]] void fail_shape() const {
    fail("a shape that is none; expected one such as (2, 3)");
  }

  std::string_view text_;
  const std::string& file_;
};

std::int64_t bytes_of(const NpyArray& array, const Header& header) {
  std::int64_t bytes = bytes_of(array.type);
  for (const std::int64_t count : array.shape) {
    if (count > most_bytes || __builtin_mul_overflow(bytes, count, &bytes) || bytes > most_bytes)
      header.fail("an array of more than a terabyte; expected a smaller one");
  }
  return bytes;
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::int64_t bytes_of(NpyType type) {
  if (type == NpyType::u1) return 1;
  return type == NpyType::f4 || type == NpyType::i4 ? 4 : 8;
}

NpyArray parse_npy(std::string_view text, const std::string& file) {
  constexpr std::size_t version_end = 8;
  const bool known = text.size() >= version_end + 4 && text.starts_with(magic) &&
                     text[magic.size()] >= 1 && text[magic.size()] <= 3;
  if (!known) throw InputError(file, "no .npy file; expected one");
  const std::size_t width = text[magic.size()] == 1 ? 2 : 4;
  const std::size_t header_begin = version_end + width;
  const std::size_t header_bytes = little_endian(text.substr(version_end, width));
  if (header_bytes > text.size() - header_begin)
    throw InputError(file, "ends within its header; expected a whole .npy file");
  const Header header(text.substr(header_begin, header_bytes), file);
  header.expect_rows();
  NpyArray array{.type = header.type(), .shape = header.shape()};
  const std::string_view elements = text.substr(header_begin + header_bytes);
  const std::int64_t expected = bytes_of(array, header);
  if (std::ssize(elements) != expected)
    header.fail(fmt::format("{} bytes of elements; expected {}, as its shape says", elements.size(),
                            expected));
  array.bytes = elements;
  return array;
}

std::string npy_text(const NpyArray& array) {
  constexpr std::size_t alignment = 64;
  const auto name = std::find_if(type_names.begin(), type_names.end(),
                                 [&](const auto& entry) { return entry.first == array.type; });
  std::string shape;
  for (const std::int64_t count : array.shape) shape += fmt::format("{}, ", count);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   name->second, shape);
  const std::size_t before = magic.size() + 4;
  header.resize((before + header.size() + alignment) / alignment * alignment - before - 1, ' ');
  header += '\n';
  std::string text(magic);
  text += {1, 0, static_cast<char>(header.size() & 0xffU), static_cast<char>(header.size() >> 8U)};
  return text + header + array.bytes;
}

}  // namespace stint
