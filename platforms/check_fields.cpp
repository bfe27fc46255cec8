#include <fmt/format.h>

#include <algorithm>

#include "files/input_error.hpp"
#include "platforms/check_platform.hpp"

namespace stint {

void check_name(const std::string& path, const std::string& name) {
  const auto is_bad = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code <= 0x20 || code == 0x7f || c == '/' || c == '>' || c == '=';
  };
  if (!name.empty() && std::none_of(name.begin(), name.end(), is_bad)) return;
  throw InputError(path, fmt::format("the name {}; expected a text without '/', '>', '=', white "
                                     "space and control characters",
                                     in_quotes(name)));
}

void check_new_name(const std::string& item, const std::string& name, const std::string& among,
                    std::set<std::string>& taken) {
  check_name(item + "/name", name);
  if (taken.insert(name).second) return;
  throw InputError(item + "/name",
                   fmt::format("the name {} is taken; expected names that differ among {}",
                               in_quotes(name), among));
}

void check_number(const std::string& path, double value, double least) {
  if (value >= least && value <= most_of_anything) return;  // false for NaN
  throw InputError(
      path, fmt::format("{}; expected a number from {} to {}", value, least, most_of_anything));
}

void check_bytes(const std::string& path, std::int64_t bytes) {
  if (bytes >= 0) return;
  throw InputError(path, fmt::format("{}; expected a whole number of at least 0", bytes));
}

void check_quantities(const std::string& item,
                      std::initializer_list<std::pair<const char*, const Quantity*>> named) {
  for (const auto& [key, quantity] : named) check_number(item + '/' + key, *quantity, 0);
}

void check_quantities(const std::string& item, const std::map<std::string, Quantity>& quantities) {
  for (const auto& [key, quantity] : quantities) {
    if (key.empty()) throw InputError(item, "an empty key; expected a name");
    check_number(item + '/' + pointer_step(key), quantity, 0);
  }
}

}  // namespace stint
