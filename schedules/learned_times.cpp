#include "schedules/learned_times.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "files/input_error.hpp"
#include "platforms/names.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

void expect_useful(const RunReport& report, const std::string& file, const Model& model) {
  if (report.name != name_of(model)) {
    throw InputError(file + ": /name", in_quotes(report.name) + "; expected a run of the model " +
                                           in_quotes(name_of(model)));
  }
  if (!report.replayed_exactly) {
    throw InputError(file + ": /replayed_exactly",
                     "its order was not kept, so its times are of no plan; expected true");
  }
  if (report.tasks.empty())
    throw InputError(file + ": /tasks", "no measured task; expected a report of run");
}

class Learner {
 public:
  Learner(const RunReport& report, Platform& platform)
      : report_(report),
        platform_(platform),
        source_("median of " + count_text(report.steps, "step")) {}

  // Returns how many tasks were found.
  std::int64_t teach(Graph& graph) const {
    std::unordered_map<std::string, std::size_t> by_name;
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) by_name[graph.tasks[t].name] = t;
    std::int64_t found = 0;
    for (const MeasuredTask& measured : report_.tasks) {
      const auto task = by_name.find(measured.task);
      if (task == by_name.end() || !find_device(platform_, measured.device)) continue;
      graph.tasks[task->second].seconds[measured.device] = quantity(measured.seconds);
      ++found;
    }
    return found;
  }

  std::int64_t teach_kernels() {
    std::map<std::tuple<int, std::string, std::string>, Sum> sums;  // device, op, shape
    std::int64_t found = 0;
    for (const MeasuredTask& measured : report_.tasks) {
      const auto device = find_device(platform_, measured.device);
      if (!device || measured.shape.empty()) continue;
      sums[{*device, measured.op, measured.shape}].add(measured);
      ++found;
    }
    for (const auto& [key, sum] : sums) {
      const auto& [device, op, shape] = key;
      kernel(platform_.devices[device], op, shape).seconds = quantity(sum.mean());
    }
    return found;
  }

  void teach_links() {
    for (int i = 0; i < static_cast<int>(platform_.links.size()); ++i) {
      const std::string name = link_name(platform_, LinkId{i});
      double predicted = 0;
      double measured = 0;
      for (const RunAction& action : report_.actions) {
        if (action.worker != name) continue;
        predicted += action.predicted_seconds;
        measured += action.measured_seconds;
      }
      if (predicted > 0 && measured > 0) slow_down(platform_.links[i], measured / predicted);
    }
  }

 private:
  struct Sum {
    double seconds = 0;
    double executions = 0;
    void add(const MeasuredTask& task) {
      seconds += task.seconds * static_cast<double>(task.executions);
      executions += static_cast<double>(task.executions);
    }
    double mean() const { return seconds / executions; }
  };

  Quantity quantity(double value) const { return {value, Basis::measured, source_}; }

  void slow_down(Link& link, double factor) const {
    link.latency_seconds = quantity(link.latency_seconds * factor);
    link.bytes_per_second = quantity(link.bytes_per_second / factor);
  }

  // The one that prices such tasks; a new one if there is none.
  static Kernel& kernel(Device& device, const std::string& op, const std::string& shape) {
    const auto found = std::find_if(
        device.kernels.begin(), device.kernels.end(),
        [&](const Kernel& kernel) { return kernel.op == op && kernel.shape == shape; });
    if (found != device.kernels.end()) return *found;
    device.kernels.push_back({.op = op, .shape = shape});
    return device.kernels.back();
  }

  const RunReport& report_;
  Platform& platform_;
  std::string source_;
};

}  // namespace

void learn_times(const RunReport& report, const std::string& file, Model& model,
                 Platform& platform) {
  expect_useful(report, file, model);
  Learner learner(report, platform);
  auto* const graph = std::get_if<Graph>(&model);
  const std::int64_t found = graph != nullptr ? learner.teach(*graph) : learner.teach_kernels();
  if (found == 0) {
    throw InputError(file + ": /tasks",
                     "none of them is a task of the model on a device of the platform; expected a "
                     "run of this model on this platform");
  }
  learner.teach_links();
}

}  // namespace stint
