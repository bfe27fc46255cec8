#include "executor/calibrate/calibration_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "executor/calibrate/gpu_clocks.hpp"
#include "platforms/names.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

std::string kernels_text(const Device& device) {
  double seconds = 0;
  std::int64_t workspace_bytes = 0;
  for (const Kernel& kernel : device.kernels) {
    seconds += kernel.seconds;
    workspace_bytes = std::max(workspace_bytes, kernel.workspace_bytes);
  }
  return fmt::format("{} kernels measured, {} in all, at most {} of workspace",
                     device.kernels.size(), seconds_text(seconds), bytes_text(workspace_bytes));
}

// How often the noise floor an error is.
std::string floors_text(double error, const ModelErrors& errors) {
  return errors.noise_floor > 0 ? fmt::format("{:.2f}", error / errors.noise_floor) : "-";
}
std::string ratio_text(const ModelErrors& errors) { return floors_text(errors.error, errors); }

std::string errors_text(const ModelErrors& errors) {
  return fmt::format("median error {}, noise floor {}, ratio {}", percent_text(errors.error),
                     percent_text(errors.noise_floor), ratio_text(errors));
}

// The last two are of all tasks, and of whole steps.
std::string models_text(const std::vector<ModelErrors>& errors) {
  const ModelErrors& tasks = errors[errors.size() - 2];
  const ModelErrors& steps = errors.back();
  std::string text = fmt::format("{} ops modelled by {} tasks of {} steps; {} held-out tasks: {}",
                                 errors.size() - 2, tasks.shapes, steps.shapes, tasks.held_out,
                                 errors_text(tasks));
  text += fmt::format("; {} held-out steps: {}", steps.held_out, errors_text(steps));
  if (steps.alone < 1) text += fmt::format("; alone {} of the time", percent_text(steps.alone));
  return text;
}

std::string hand_overs_text(const Device& device) {
  const double spin = hand_over_seconds(device, Wait::spin);
  if (spin == 0) return "";
  const auto by_mebibyte = [&](const char* term) {
    return seconds_text(hand_over_price(device, term) * (1 << 20));
  };
  return fmt::format(
      "{}: {} to hand over to a worker that spins, {} to one that sleeps; 1 MiB from another's "
      "cache takes {} longer to read, {} to write\n",
      device.name, seconds_text(spin), seconds_text(hand_over_seconds(device, Wait::sleep)),
      by_mebibyte(read_term), by_mebibyte(write_term));
}

std::string gpu_watts_text(const Device& device) {
  if (!is_gpu(device) || device.idle_watts.basis != Basis::measured) return "";
  return fmt::format("{}: {} at rest, {} more while it computes\n", device.name,
                     watts_text(device.idle_watts), watts_text(device.states.front().busy_watts));
}

std::string link_text(const Platform& platform, LinkId id) {
  const Link& link = platform.links[id];
  return fmt::format("{}: {} and {}\n", link_name(platform, id), seconds_text(link.latency_seconds),
                     bytes_per_second_text(link.bytes_per_second));
}

std::string power_text(const Calibration& calibration) {
  if (!calibration.power_basis.empty())
    return fmt::format("watts are {}\n", calibration.power_basis);
  const std::string& why = calibration.why_no_power;
  return fmt::format("watts are assumed: {}\n", why.empty() ? "no counter was read" : why);
}

std::vector<std::string> cells(const ModelErrors& errors) {
  return {errors.op,
          std::to_string(errors.shapes),
          std::to_string(errors.held_out),
          percent_text(errors.noise_floor),
          percent_text(errors.error),
          ratio_text(errors),
          percent_text(errors.uncorrected),
          percent_text(errors.history),
          errors.power_law ? percent_text(*errors.power_law) : "-",
          percent_text(errors.power_law_answers),
          percent_text(errors.alone)};
}

// The medians of all models side by side, in percent and in floors of the noise.
void add_medians(const std::string& what, const ModelErrors& errors, TextTable& table) {
  std::vector<std::string> percents = {what, percent_text(errors.noise_floor)};
  std::vector<std::string> floors = {"  in floors", floors_text(errors.noise_floor, errors)};
  for (const std::optional<double> error :
       {std::optional(errors.error), std::optional(errors.uncorrected),
        std::optional(errors.history), errors.power_law}) {
    percents.push_back(error ? percent_text(*error) : "-");
    floors.push_back(error ? floors_text(*error, errors) : "-");
  }
  table.row(std::move(percents));
  table.row(std::move(floors));
}

std::string medians_text(const DeviceErrors& device) {
  if (device.errors.size() < 2) return "";
  TextTable table({{"medians on " + device.device, TextTable::Align::left},
                   {"noise floor"},
                   {"ours"},
                   {"uncorrected"},
                   {"history"},
                   {"power law"}});
  add_medians("held-out tasks", device.errors[device.errors.size() - 2], table);
  add_medians("held-out steps", device.errors.back(), table);
  return table.text();
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
  const Platform& platform = calibration.platform;
  std::string text;
  for (std::size_t i = 0; i < calibration.devices.size(); ++i) {
    const auto& [name, errors] = calibration.devices[i];
    text +=
        fmt::format("{}, {} busy: {}\n", name, calibration.all_busy ? "all workers" : "one worker",
                    errors.empty() ? kernels_text(platform.devices[i]) : models_text(errors));
    text += hand_overs_text(platform.devices[i]) + gpu_watts_text(platform.devices[i]);
  }
  for (int i = 0; i < static_cast<int>(platform.links.size()); ++i) {
    if (platform.links[i].bytes_per_second.basis == Basis::measured)
      text += link_text(platform, LinkId{i});
  }
  return text + power_text(calibration);
}

std::string comparison_text(const Calibration& calibration) {
  std::string text;
  for (const DeviceErrors& device : calibration.devices) {
    TextTable table({{"op on " + device.device, TextTable::Align::left},
                     {"tasks"},
                     {"held out"},
                     {"noise floor"},
                     {"error"},
                     {"in floors"},
                     {"uncorrected"},
                     {"history"},
                     {"power law"},
                     {"answers"},
                     {"alone"}});
    for (const ModelErrors& of_op : device.errors) table.row(cells(of_op));
    text += table.text() + medians_text(device);
  }
  return text;
}

}  // namespace stint
