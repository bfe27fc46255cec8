#include "executor/data/npz.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t usual_bytes_beside = 512;  // of an array: its records and names

std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    table[i] = crc;
  }
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static const auto table = crc_table();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (crc >> 8U);
  return ~crc;
}

// Records of zip: a signature, then numbers of two or four bytes, lowest first.
void put(std::string& text, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
}

// What an entry's two records have in common.
std::string entry_fields(std::string_view name, std::string_view bytes) {
  std::string fields;
  put(fields, 20, 2);    // version that is needed
  put(fields, 0, 2);     // flags
  put(fields, 0, 2);     // stored
  put(fields, 0, 2);     // midnight
  put(fields, 0x21, 2);  // of the first day there is
  put(fields, crc32(bytes), 4);
  put(fields, bytes.size(), 4);
  put(fields, bytes.size(), 4);
  put(fields, name.size(), 2);
  put(fields, 0, 2);
  return fields;
}

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;

// Reads records, and says where the file is broken.
class ZipReader {
 public:
  ZipReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool at_entry() const { return rest() >= 4 && number(0, 4) == local_signature; }

  void read_entry(NpzArrays& arrays) {
    constexpr std::size_t header_bytes = 30;
    expect(rest() >= header_bytes);
    constexpr std::uint64_t sizes_follow = 8;
    if (number(8, 2) != 0 || (number(6, 2) & sizes_follow) != 0)
      throw InputError(file_, "compressed; expected what numpy.savez or --save writes");
    std::uint64_t bytes = number(22, 4);
    const std::uint64_t name_bytes = number(26, 2);
    const std::uint64_t extra_bytes = number(28, 2);
    const std::uint32_t crc = static_cast<std::uint32_t>(number(14, 4));
    expect(rest() - header_bytes >= name_bytes + extra_bytes);
    std::string name(text_.substr(at_ + header_bytes, name_bytes));
    if (bytes == 0xffffffffU) bytes = size_in_extra(header_bytes + name_bytes, extra_bytes);
    at_ += header_bytes + name_bytes + extra_bytes;
    expect(rest() >= bytes);
    const std::string_view content = text_.substr(at_, bytes);
    at_ += bytes;
    if (crc32(content) != crc)
      throw InputError(file_, in_quotes(name) + " is damaged; expected its checksum");
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    arrays[name] = parse_npy(content, file_ + ": " + name);
  }

  // The archive ends with a record of its own, without a comment.
  void expect_end() const {
    constexpr std::size_t end_bytes = 22;
    expect(rest() >= end_bytes && number(rest() - end_bytes, 4) == end_signature);
  }

 private:
  // NumPy writes sizes of 64 bits into the first extra field, whether they are needed or not.
  std::uint64_t size_in_extra(std::size_t offset, std::uint64_t extra_bytes) const {
    expect(extra_bytes >= 12 && number(offset, 2) == 1);
    return number(offset + 4, 8);
  }
  std::uint64_t number(std::size_t offset, int bytes) const {
    std::uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
      value = value << 8U | static_cast<unsigned char>(text_[at_ + offset + i]);
    return value;
  }
  std::uint64_t rest() const { return text_.size() - at_; }
  void expect(bool whole) const {
    if (!whole) throw InputError(file_, "no whole .npz file; expected one");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

NpzArrays parse_npz(const std::string& text, const std::string& file) {
  NpzArrays arrays;
  ZipReader reader(text, file);
  while (reader.at_entry()) reader.read_entry(arrays);
  reader.expect_end();
  return arrays;
}

std::string npz_text(const NpzArrays& arrays) {
  std::string text;
  std::string directory;
  std::size_t bytes = 0;
  for (const auto& [name, array] : arrays) bytes += array.bytes.size();
  text.reserve(bytes + (arrays.size() + 1) * usual_bytes_beside);
  for (const auto& [array_name, array] : arrays) {
    const std::string name = array_name + std::string(suffix);
    const std::string content = npy_text(array);
    if (text.size() + directory.size() + content.size() > std::numeric_limits<std::uint32_t>::max())
      throw std::runtime_error(
          "the arrays take more than 4 GiB; an .npz file of ours holds no more");
    const std::string fields = entry_fields(name, content);
    put(directory, central_signature, 4);
    put(directory, 20, 2);  // version that made it
    directory += fields;
    put(directory, 0, 2);  // no comment
    put(directory, 0, 2);  // first disk
    put(directory, 0, 2);
    put(directory, 0, 4);
    put(directory, text.size(), 4);
    directory += name;
    put(text, local_signature, 4);
    text.append(fields).append(name).append(content);
  }
  const std::size_t directory_begin = text.size();
  text += directory;
  put(text, end_signature, 4);
  put(text, 0, 4);
  put(text, arrays.size(), 2);
  put(text, arrays.size(), 2);
  put(text, directory.size(), 4);
  put(text, directory_begin, 4);
  put(text, 0, 2);
  return text;
}

}  // namespace stint
