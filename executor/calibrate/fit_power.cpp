#include "executor/calibrate/fit_power.hpp"

#include <algorithm>
#include <set>

#include "executor/calibrate/nnls.hpp"

namespace stint {
namespace {

template <typename Key>
double value_at(const std::map<Key, double>& values, const Key& key) {
  const auto found = values.find(key);
  return found == values.end() ? 0 : found->second;
}

template <typename Key>
void add_keys(const std::map<Key, double>& values, std::set<Key>& keys) {
  for (const auto& [key, value] : values) keys.insert(key);
}

constexpr double bytes_of_column = 1e9;  // so that all columns are of a size

PowerPrices fit(const std::vector<PowerWindow>& windows, const std::set<std::string>& classes,
                const std::set<int>& levels) {
  std::vector<std::vector<double>> columns(3 + classes.size() + levels.size());
  for (const PowerWindow& window : windows) {
    auto column = columns.begin();
    const auto add = [&](double value) { (column++)->push_back(value / window.joules); };
    add(window.seconds);
    add(window.active_seconds);
    add(window.spinning_seconds);
    for (const std::string& name : classes) add(value_at(window.busy_seconds, name));
    for (const int level : levels) add(value_at(window.missed_bytes, level) / bytes_of_column);
  }
  const std::vector<double> ones(windows.size(), 1);
  const std::vector<double> found = non_negative_least_squares(columns, ones);
  PowerPrices prices{.idle_watts = found[0], .active_watts = found[1], .wait_watts = found[2]};
  auto price = found.begin() + 3;
  for (const std::string& name : classes) prices.busy_watts[name] = *price++;
  for (const int level : levels) prices.joules_per_byte[level] = *price++ / bytes_of_column;
  return prices;
}

bool stands_out(const std::vector<PowerWindow>& windows, int level, double joules_per_byte) {
  return std::any_of(windows.begin(), windows.end(), [&](const PowerWindow& window) {
    return joules_per_byte * value_at(window.missed_bytes, level) >=
           least_share_of_bytes * window.joules;
  });
}

}  // namespace

PowerPrices fit_power(const std::vector<PowerWindow>& windows) {
  std::set<std::string> classes;
  std::set<int> levels;
  for (const PowerWindow& window : windows) {
    add_keys(window.busy_seconds, classes);
    add_keys(window.missed_bytes, levels);
  }
  const std::set<int> all_levels = levels;
  PowerPrices prices = fit(windows, classes, levels);
  std::erase_if(levels, [&](int level) {
    return !stands_out(windows, level, prices.joules_per_byte.at(level));
  });
  if (levels != all_levels) prices = fit(windows, classes, levels);
  for (const int level : all_levels) prices.joules_per_byte.try_emplace(level, 0);
  return prices;
}

double joules_of(const PowerWindow& window, const PowerPrices& prices) {
  double joules = prices.idle_watts * window.seconds + prices.active_watts * window.active_seconds +
                  prices.wait_watts * window.spinning_seconds;
  for (const auto& [name, seconds] : window.busy_seconds)
    joules += value_at(prices.busy_watts, name) * seconds;
  for (const auto& [level, bytes] : window.missed_bytes)
    joules += value_at(prices.joules_per_byte, level) * bytes;
  return joules;
}

}  // namespace stint
