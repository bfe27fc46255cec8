#include "files/input_error.hpp"

#include <fmt/format.h>

namespace stint {

InputError::InputError(const std::string& where, const std::string& fault)
    : std::runtime_error(one_line(where + ": " + fault)), where_(where), fault_(fault) {}

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      line += fmt::format("\\u{:04x}", code);
    } else {
      line += c;
    }
  }
  return line;
}

std::string in_quotes(const std::string& text) { return '"' + one_line(text) + '"'; }

std::string pointer_step(const std::string& key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace stint
