#include "models/onnx/utf8.hpp"

#include <cstdint>

namespace stint {
namespace {

struct Lead {
  int more = 0;             // bytes that follow
  std::uint32_t bits = 0;   // of the code point, in the first byte
  std::uint32_t least = 0;  // the smallest code point that needs so many bytes
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {0, byte, 0};
  if (byte >= 0xc0 && byte < 0xe0) return {1, byte & 0x1fu, 0x80};
  if (byte >= 0xe0 && byte < 0xf0) return {2, byte & 0x0fu, 0x800};
  if (byte >= 0xf0 && byte < 0xf8) return {3, byte & 0x07u, 0x10000};
  return {-1};
}

bool is_plain(std::uint32_t code) {
  const bool control = code < 0x20 || code == 0x7f;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return !control && !surrogate && code < 0x110000;
}

}  // namespace

bool is_plain_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[i++]));
    if (lead.more < 0) return false;
    std::uint32_t code = lead.bits;
    for (int more = lead.more; more > 0; --more) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3fu);
    }
    if (code < lead.least || !is_plain(code)) return false;
  }
  return true;
}

}  // namespace stint
