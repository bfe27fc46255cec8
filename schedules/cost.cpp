#include "schedules/cost.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "platforms/names.hpp"
#include "schedules/time_correction.hpp"

namespace stint {
namespace {

// key == "node/device", without making that text: this is asked for every action.
bool is_full_name(const std::string& key, const std::string& node, const std::string& device) {
  return key.size() == node.size() + 1 + device.size() && key.starts_with(node) &&
         key[node.size()] == '/' && key.ends_with(device);
}

const Quantity* stated_seconds(const Task& task, const Platform& platform, DeviceId id) {
  const Device& device = platform.devices[id];
  const Quantity* by_name = nullptr;
  const Quantity* by_kind = nullptr;
  for (const auto& [key, seconds] : task.seconds) {
    if (is_full_name(key, platform.nodes[device.node].name, device.name)) return &seconds;
    if (key == device.name) by_name = &seconds;
    if (key == device.kind) by_kind = &seconds;
  }
  return by_name != nullptr ? by_name : by_kind;
}

const TimeModel* time_model_for(const Task& task, const Device& device) {
  const bool can_be_modelled = !task.op.empty() || task.flops > 0 || task.bytes_moved > 0;
  if (!can_be_modelled) return nullptr;
  auto found = device.time_model.find(task.op);
  if (found == device.time_model.end()) found = device.time_model.find("*");
  return found == device.time_model.end() ? nullptr : &found->second;
}

// By op, then shape: of a task or of a measured kernel.
template <typename Left, typename Right>
bool is_before(const Left& left, const Right& right) {
  return std::tie(left.op, left.shape) < std::tie(right.op, right.shape);
}

}  // namespace

TaskTimes::TaskTimes(const Platform& platform) : platform_(platform) {
  for (const Device& device : platform.devices) {
    auto& kernels = kernels_.emplace_back();
    for (const Kernel& kernel : device.kernels) kernels.push_back(&kernel);
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Kernel* a, const Kernel* b) { return is_before(*a, *b); });
  }
}

const Kernel* TaskTimes::kernel_for(const Task& task, DeviceId device) const {
  if (task.shape.empty()) return nullptr;
  const auto& kernels = kernels_[device];
  const auto found = std::lower_bound(
      kernels.begin(), kernels.end(), task,
      [](const Kernel* kernel, const Task& sought) { return is_before(*kernel, sought); });
  return found == kernels.end() || is_before(task, **found) ? nullptr : *found;
}

std::optional<double> TaskTimes::seconds_at_speed_1(const Task& task, DeviceId id) const {
  if (const Quantity* stated = stated_seconds(task, platform_, id)) return *stated;
  if (const Kernel* measured = kernel_for(task, id)) return measured->seconds;
  const TimeModel* model = time_model_for(task, platform_.devices[id]);
  if (model == nullptr) return std::nullopt;
  return modelled_seconds(task, *model);
}

double modelled_seconds(const Task& task, const TimeModel& model) {
  double seconds = 0;
  for (const auto& [name, price] : model.terms) seconds += price * task_feature(task, name);
  for (const auto& [name, hinges] : model.knots) {
    for (const auto& [knot, price] : hinges) {
      seconds += price * std::max(0.0, task_feature(task, name) - static_cast<double>(knot));
    }
  }
  return seconds * correction_factor(task, model.correction);
}

const TimeModel* TaskTimes::model_of(const Task& task, DeviceId id) const {
  if (stated_seconds(task, platform_, id) != nullptr) return nullptr;
  return kernel_for(task, id) == nullptr ? time_model_for(task, platform_.devices[id]) : nullptr;
}

std::string op_class(const std::string& op) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 30> classes = {{
      {"conv2d", "conv"},
      {"conv2d_relu", "conv"},
      {"conv2d_relu_pool", "conv"},
      {"conv_transpose2d", "conv"},
      {"linear", "gemm"},
      {"matmul", "gemm"},
      {"attention", "gemm"},
      {"relu", "elementwise"},
      {"gelu", "elementwise"},
      {"sigmoid", "elementwise"},
      {"tanh", "elementwise"},
      {"add", "elementwise"},
      {"mul", "elementwise"},
      {"bias", "elementwise"},
      {"dropout", "elementwise"},
      {"sgd", "elementwise"},
      {"adam", "elementwise"},
      {"softmax", "reduction"},
      {"batch_norm", "reduction"},
      {"batch_norm_relu", "reduction"},
      {"batch_norm_add_relu", "reduction"},
      {"layer_norm", "reduction"},
      {"max_pool2d", "reduction"},
      {"relu_pool", "reduction"},
      {"avg_pool2d", "reduction"},
      {"global_avg_pool", "reduction"},
      {"cross_entropy", "reduction"},
      {"mse", "reduction"},
      {"transpose", "copy"},
      {"embedding", "copy"},
  }};
  std::string_view layer = std::string_view(op).substr(0, op.find('.'));
  layer =
      layer.substr(0, layer.find("_then_"));  // with what follows it, a product is one all the same
  for (const auto& [name, of_class] : classes) {
    if (layer == name || layer == of_class) return std::string(of_class);
  }
  return layer == "io" ? "io" : "";
}

double busy_watts(const Task& task, const PowerState& state) {
  if (state.busy_watts_by_class.empty()) return state.busy_watts;
  const auto by_class = state.busy_watts_by_class.find(op_class(task.op));
  return by_class == state.busy_watts_by_class.end() ? state.busy_watts : by_class->second;
}

double copy_seconds(const Link& link, std::int64_t bytes) {
  return link.latency_seconds + static_cast<double>(bytes) / link.bytes_per_second;
}

double copy_joules(const Link& link, std::int64_t bytes) {
  return link.joules_per_byte * static_cast<double>(bytes) +
         link.active_watts * copy_seconds(link, bytes);
}

}  // namespace stint
