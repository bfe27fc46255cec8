#include "tests/support/numbers_by_name.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace stint {
namespace {

std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

bool ends_with_any(const std::string& name, std::initializer_list<const char*> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char* end) { return name.ends_with(end); });
}

}  // namespace

std::vector<std::uint64_t> integers_by_name(const std::string& name, std::int64_t count) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), hash_of(name));
  std::transform(numbers.begin(), numbers.end(), numbers.begin(), splitmix64);
  return numbers;
}

std::vector<float> numbers_by_name(const std::string& name, std::int64_t count) {
  std::vector<float> numbers;
  for (const std::uint64_t x : integers_by_name(name, count))
    numbers.push_back(static_cast<float>(static_cast<double>(x >> 40) / (1 << 23) - 1));
  return numbers;
}

std::vector<float> state_by_name(const std::string& name, const std::vector<std::int64_t>& shape) {
  const auto count =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  if (ends_with_any(name, {".momentum", ".mean", ".square", ".running_mean"}))
    return std::vector<float>(count, 0);
  if (name.ends_with(".running_var") || (name.ends_with(".weight") && shape.size() == 1))
    return std::vector<float>(count, 1);
  const double fan_in = static_cast<double>(count) / static_cast<double>(shape[0]);
  const auto scale = static_cast<float>(shape.size() == 1 ? 0.1 : 1 / std::sqrt(fan_in));
  std::vector<float> values = numbers_by_name(name, count);
  for (float& value : values) value *= scale;
  return values;
}

}  // namespace stint
