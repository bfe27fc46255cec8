#include "executor/calibrate/fit_power.hpp"

#include <set>

#include "executor/calibrate/nnls.hpp"

namespace stint {
namespace {

double of_class(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

PowerPrices fit_power(const std::vector<PowerWindow>& windows) {
  std::set<std::string> classes;
  for (const PowerWindow& window : windows) {
    for (const auto& [name, seconds] : window.busy_seconds) classes.insert(name);
  }
  std::vector<std::vector<double>> columns(3 + classes.size());
  for (const PowerWindow& window : windows) {
    auto column = columns.begin();
    const auto add = [&](double seconds) { (column++)->push_back(seconds / window.joules); };
    add(window.seconds);
    add(window.active_seconds);
    add(window.spinning_seconds);
    for (const std::string& name : classes) add(of_class(window.busy_seconds, name));
  }
  const std::vector<double> ones(windows.size(), 1);
  const std::vector<double> watts = non_negative_least_squares(columns, ones);
  PowerPrices prices{.idle_watts = watts[0], .active_watts = watts[1], .wait_watts = watts[2]};
  auto price = watts.begin() + 3;
  for (const std::string& name : classes) prices.busy_watts[name] = *price++;
  return prices;
}

double joules_of(const PowerWindow& window, const PowerPrices& prices) {
  double joules = prices.idle_watts * window.seconds + prices.active_watts * window.active_seconds +
                  prices.wait_watts * window.spinning_seconds;
  for (const auto& [name, seconds] : window.busy_seconds)
    joules += of_class(prices.busy_watts, name) * seconds;
  return joules;
}

}  // namespace stint
