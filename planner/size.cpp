#include "planner/size.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "files/input_error.hpp"

namespace stint {

namespace {

constexpr double beyond_int64 = 0x1p63;

constexpr std::array<std::pair<std::string_view, double>, 12> units = {{
    {"", 1},
    {"B", 1},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", 0x1p10},
    {"MiB", 0x1p20},
    {"GiB", 0x1p30},
    {"TiB", 0x1p40},
    {"PiB", 0x1p50},
}};

[[noreturn]] void fail(const std::string& text, const std::string& where) {
  throw InputError(where, in_quotes(text) +
                              " is no size; expected bytes, a number with a unit such as 512MiB or "
                              "2GB, or a percentage such as 60%");
}

// Whole numbers are taken exactly, also those that a double would round.
std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, bytes);
  if (error != std::errc{} || stop != end || bytes < 0) return std::nullopt;
  return bytes;
}

Size scaled(double number, std::string_view unit, const std::string& text,
            const std::string& where) {
  if (unit == "%") return {0, number};
  for (const auto& [name, scale] : units) {
    if (name != unit) continue;
    if (number * scale >= beyond_int64)
      throw InputError(where, in_quotes(text) + " is too large; expected at most 8191PiB");
    return {static_cast<std::int64_t>(number * scale), std::nullopt};
  }
  fail(text, where);
}

}  // namespace

Size parse_size(const std::string& text, const std::string& where) {
  if (const auto bytes = whole_number(text)) return {*bytes, std::nullopt};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) fail(text, where);
  return scaled(number, std::string_view(stop, static_cast<std::size_t>(end - stop)), text, where);
}

MemoryOption parse_memory_option(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) return {"", parse_size(text, "--memory")};
  const std::string name = text.substr(0, equals);
  if (name.empty())
    throw InputError("--memory", in_quotes(text) + " names no memory; expected NAME=SIZE or SIZE");
  return {name, parse_size(text.substr(equals + 1), "--memory " + name)};
}

}  // namespace stint
