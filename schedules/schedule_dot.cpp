#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "schedules/colours.hpp"
#include "schedules/describe.hpp"
#include "schedules/dot.hpp"
#include "schedules/dot_words.hpp"

namespace stint {
namespace {

class ScheduleDot {
 public:
  explicit ScheduleDot(const Schedule& schedule)
      : schedule_(schedule),
        workers_(workers(schedule.platform)),
        again_(recomputations(schedule)),
        makers_(schedule.buffers.size()) {
    note_makers();
  }

  std::string write() {
    const Platform& platform = schedule_.platform;
    text_ = dot_head(schedule_.graph.name + " on " + platform.name, "TB");
    for (int device = 0; device < static_cast<int>(platform.devices.size()); ++device) {
      add_cluster(device_name(platform, DeviceId{device}), device);
    }
    add_cluster("links", -1);
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) add_edges_to(i);
    add_worker_orders();
    return text_ + "}\n";
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  // Writing a part writes into its whole, and the other way round.
  void note_makers() {
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      for (const BufferId buffer : schedule_.actions[i].writes) {
        if (buffer == no_buffer) continue;
        makers_[buffer].push_back(i);
        const BufferId whole = schedule_.buffers[buffer].within;
        if (whole != no_buffer) makers_[whole].push_back(i);
      }
    }
  }

  int device_of(const Action& action) const {
    return action.worker == no_worker ? -1 : workers_[action.worker].device;
  }

  // The actions of a device's workers; of links (and of nobody) for -1.
  void add_cluster(const std::string& title, int device) {
    std::string nodes;
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      if (device_of(schedule_.actions[i]) == device) nodes += node(i);
    }
    if (nodes.empty()) return;
    add("  subgraph cluster_{} {{\n    label={}; style=rounded; color=\"#a0a0a0\"\n{}  }}\n",
        device + 1, in_dot_quotes(title), nodes);
  }

  std::string node(int id) const {
    const Action& action = schedule_.actions[id];
    const std::string colour = colour_of(schedule_, action, false);
    const std::string label = in_dot_quotes(stint::label(schedule_, action));
    if (action.what != Do::compute) {
      return fmt::format(
          "    a{} [label={}, shape=ellipse, style=filled, fillcolor=\"{}\", "
          "fontsize=9, height=0.2]\n",
          id, label, colour);
    }
    return fmt::format("    a{} [label={}, style=\"filled,rounded{}\", fillcolor=\"{}\"]\n", id,
                       label, again_[id] ? ",dashed" : "", colour);
  }

  std::string tensor_name(BufferId buffer) const {
    const TensorId tensor = schedule_.buffers[buffer].tensor;
    return tensor == no_tensor ? "" : schedule_.graph.tensors[tensor].name;
  }

  // Data says more than `after`: between two actions with both, only the data is drawn.
  void add_edges_to(int id) {
    const Action& action = schedule_.actions[id];
    std::set<int> sources;
    for (const auto* list : {&action.reads, &action.updates}) {
      for (const BufferId buffer : *list) {
        for (const int maker : makers_of(buffer)) {
          if (maker == id) continue;
          sources.insert(maker);
          add("  a{} -> a{} [label={}]\n", maker, id, in_dot_quotes(tensor_name(buffer)));
        }
      }
    }
    for (const ActionId before : action.after) {
      if (before < 0 || sources.contains(before)) continue;
      add("  a{} -> a{} [style=dotted, constraint=false]\n", int{before}, id);
    }
  }

  std::set<int> makers_of(BufferId buffer) const {
    if (buffer == no_buffer) return {};
    const BufferId whole = schedule_.buffers[buffer].within;
    const bool as_part = makers_[buffer].empty() && whole != no_buffer;
    const auto& makers = makers_[as_part ? whole : buffer];
    return {makers.begin(), makers.end()};
  }

  void add_worker_orders() {
    std::vector<int> last(workers_.size(), -1);
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      const WorkerId worker = schedule_.actions[i].worker;
      if (worker == no_worker) continue;
      if (last[worker] >= 0) {
        add("  a{} -> a{} [color=\"#d0d0d0\", arrowhead=none, weight=4]\n", last[worker], i);
      }
      last[worker] = i;
    }
  }

  const Schedule& schedule_;
  std::vector<Worker> workers_;
  std::vector<bool> again_;
  std::vector<std::vector<int>> makers_;  // by buffer: the actions that write it
  std::string text_;
};

}  // namespace

std::string dot_text(const Schedule& schedule) { return ScheduleDot(schedule).write(); }

}  // namespace stint
