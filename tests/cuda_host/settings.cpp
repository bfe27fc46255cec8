#include "tests/cuda_host/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace cuda_host {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& value) {
  std::fprintf(stderr, "cuda host: %s=%s makes no sense\n", name.c_str(), value.c_str());
  _exit(97);
}

std::string text_of(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::int64_t number_in(const std::string& name, std::string_view text) {
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end || number < 0) refuse(name, std::string(text));
  return number;
}

std::int64_t number_of(const std::string& name, std::int64_t fallback, std::int64_t most) {
  const std::string text = text_of(name);
  if (text.empty()) return fallback;
  const std::int64_t number = number_in(name, text);
  if (number > most) refuse(name, text);
  return number;
}

StreamOrder mode_of(const std::string& name) {
  const std::string text = text_of(name);
  if (text.empty() || text == "eager") return StreamOrder::eager;
  if (text == "lazy") return StreamOrder::lazy;
  if (text == "random") return StreamOrder::random;
  refuse(name, text);
}

std::optional<InjectedFailure> failure_of(const std::string& name) {
  const std::string text = text_of(name);
  if (text.empty()) return std::nullopt;
  const auto first = text.find(':');
  const auto second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) refuse(name, text);
  const std::string_view view = text;
  return InjectedFailure{.call = text.substr(0, first),
                         .occurrence = number_in(name, view.substr(first + 1, second - first - 1)),
                         .code = static_cast<int>(number_in(name, view.substr(second + 1)))};
}

// Six numbers: ns an operation, MB/s, MFLOP/s, ns a copy, MB/s to the device, MB/s from it.
std::optional<DeviceClock> clock_of(const std::string& name) {
  const std::string text = text_of(name);
  if (text.empty()) return std::nullopt;
  std::vector<double> numbers;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    numbers.push_back(static_cast<double>(number_in(name, rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (numbers.size() != 6 || std::count(numbers.begin(), numbers.end(), 0.0) > 0)
    refuse(name, text);
  return DeviceClock{1e-9 * numbers[0], 1e6 * numbers[1], 1e6 * numbers[2],
                     1e-9 * numbers[3], 1e6 * numbers[4], 1e6 * numbers[5]};
}

HostSettings read_settings() {
  const std::string prefix = "STINT_CUDA_HOST_";
  constexpr std::int64_t most_mebibytes = 32 * 1024;  // of the addresses that a device has
  return {.mode = mode_of(prefix + "MODE"),
          .seed = static_cast<std::uint64_t>(number_of(prefix + "SEED", 1, INT64_MAX)),
          .memory_bytes = number_of(prefix + "MEMORY_MIB", 1024, most_mebibytes) << 20,
          .devices = static_cast<int>(number_of(prefix + "DEVICES", 1, 16)),
          .no_device = number_of(prefix + "NO_DEVICE", 0, 1) == 1,
          .failure = failure_of(prefix + "FAIL"),
          .forgotten_wait = number_of(prefix + "FORGET_WAIT", 0, INT64_MAX),
          .operation_microseconds = number_of(prefix + "OPERATION_MICROSECONDS", 0, 1'000'000),
          .clock = clock_of(prefix + "CLOCK"),
          .dnn_bytes = number_of(prefix + "DNN_KIB", 0, 1 << 20) << 10,
          .report_path = text_of(prefix + "REPORT"),
          .trace_path = text_of(prefix + "TRACE")};
}

}  // namespace

const HostSettings& settings() {
  static const auto* const read = new HostSettings(read_settings());  // needed until the very end
  return *read;
}

}  // namespace cuda_host
