#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "files/input_error.hpp"
#include "platforms/check_platform.hpp"

namespace stint {
namespace {

constexpr std::array<std::string_view, 6> op_classes = {"gemm",      "conv", "elementwise",
                                                        "reduction", "copy", "io"};

void check_count(const std::string& path, int count, std::int64_t most) {
  if (count >= 1 && count <= most) return;
  throw InputError(path, fmt::format("{}; expected a whole number from 1 to {}", count, most));
}

void check_classes(const std::string& at, const std::map<std::string, Quantity>& watts) {
  for (const auto& [op_class, quantity] : watts) {
    if (std::find(op_classes.begin(), op_classes.end(), op_class) != op_classes.end()) continue;
    throw InputError(at, fmt::format("unknown class {}; expected one of {}", in_quotes(op_class),
                                     fmt::join(op_classes, ", ")));
  }
  check_quantities(at, watts);
}

void check_states(const std::string& device, const std::vector<PowerState>& states) {
  if (states.empty()) throw InputError(device + "/states", "no states; expected at least one");
  std::set<std::string> names;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const PowerState& state = states[i];
    const std::string at = fmt::format("{}/states/{}", device, i);
    check_new_name(at, state.name, "the states of a device", names);
    check_number(at + "/speed", state.speed, least_positive);
    check_quantities(at, {{"busy_watts", &state.busy_watts},
                          {"switch_seconds", &state.switch_seconds},
                          {"switch_joules", &state.switch_joules}});
    check_classes(at + "/busy_watts_by_class", state.busy_watts_by_class);
  }
}

void check_caches(const std::string& device, const std::vector<Cache>& caches) {
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const std::string at = fmt::format("{}/caches/{}", device, i);
    check_count(at + "/level", caches[i].level, most_cache_levels);
    check_bytes(at + "/bytes", caches[i].bytes);
    check_count(at + "/shared_by", caches[i].shared_by, most_workers);
    check_quantities(at, {{"joules_per_byte", &caches[i].joules_per_byte}});
  }
}

void check_knots(const std::string& at,
                 const std::map<std::string, std::map<std::int64_t, Quantity>>& knots) {
  for (const auto& [feature, slopes] : knots) {
    if (feature.empty()) throw InputError(at, "an empty key; expected a name");
    for (const auto& [knot, slope] : slopes) {
      const std::string path = fmt::format("{}/{}/{}", at, pointer_step(feature), knot);
      check_bytes(path, knot);
      check_number(path, slope, 0);
    }
  }
}

void check_length(const std::string& path, std::size_t numbers, std::size_t features) {
  if (numbers == features) return;
  throw InputError(path,
                   fmt::format("{} numbers for {} features; expected as many", numbers, features));
}

void check_factor(const std::string& path, double factor) {
  if (factor >= 1 / most_correction && factor <= most_correction) return;
  throw InputError(path, fmt::format("{}; expected a factor from 1/{} to {}", factor,
                                     most_correction, most_correction));
}

void check_correction(const std::string& at, const TimeCorrection& correction) {
  const auto& [features, widths, caution, points] = correction;
  if (points.size() > most_correction_points)
    throw InputError(at + "/points", fmt::format("{} points; expected at most {}", points.size(),
                                                 most_correction_points));
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i].empty())
      throw InputError(fmt::format("{}/features/{}", at, i), "an empty text; expected a feature");
  }
  check_length(at + "/widths", widths.size(), features.size());
  for (std::size_t i = 0; i < widths.size(); ++i)
    check_number(fmt::format("{}/widths/{}", at, i), widths[i], least_positive);
  check_number(at + "/caution", caution, least_positive);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string point = fmt::format("{}/points/{}", at, i);
    check_length(point + "/at", points[i].at.size(), features.size());
    for (std::size_t k = 0; k < points[i].at.size(); ++k)
      check_number(fmt::format("{}/at/{}", point, k), points[i].at[k], 0);
    check_number(point + "/tasks", points[i].tasks, least_positive);
    check_factor(point + "/factor", points[i].factor);
  }
}

void check_time_model(const std::string& at, const std::map<std::string, TimeModel>& by_op) {
  for (const auto& [op, model] : by_op) {
    if (op.empty()) throw InputError(at, "an empty key; expected an op or \"*\"");
    const std::string of_op = at + '/' + pointer_step(op);
    check_quantities(of_op + "/terms", model.terms);
    check_knots(of_op + "/knots", model.knots);
    if (model.sigma) check_number(of_op + "/sigma", *model.sigma, 0);
    check_correction(of_op + "/correction", model.correction);
  }
}

void check_kernels(const std::string& device, const std::vector<Kernel>& kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string at = fmt::format("{}/kernels/{}", device, i);
    if (kernels[i].op.empty()) throw InputError(at + "/op", "an empty text; expected an op");
    check_bytes(at + "/workspace_bytes", kernels[i].workspace_bytes);
    check_quantities(at, {{"seconds", &kernels[i].seconds}});
  }
}

}  // namespace

void check_device(const std::string& at, const Device& device) {
  check_name(at + "/kind", device.kind);
  check_count(at + "/workers", device.workers, most_workers_of_a_device);
  check_quantities(at, {{"idle_watts", &device.idle_watts},
                        {"active_watts", &device.active_watts},
                        {"wait_watts", &device.wait_watts}});
  check_states(at, device.states);
  check_caches(at, device.caches);
  check_time_model(at + "/time_model", device.time_model);
  check_kernels(at, device.kernels);
}

}  // namespace stint
