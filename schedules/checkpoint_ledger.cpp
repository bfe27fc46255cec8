#include "schedules/checkpoint_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "schedules/critical_path.hpp"
#include "schedules/layout.hpp"
#include "schedules/marginal_joules.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

constexpr std::size_t entries_shown = 5;

// When a buffer holds its tensor, and who wrote it first.
struct Instance {
  double begin = 0;
  double end = 0;
  ActionId writer = no_action;
};

struct PeakSpan {
  double begin = 0;
  double end = 0;
};

class Ledger {
 public:
  Ledger(const Schedule& schedule, const Simulation& simulation,
         const std::vector<double>& measured_seconds)
      : schedule_(schedule),
        simulation_(simulation),
        measured_seconds_(measured_seconds),
        workers_(workers(schedule.platform)),
        lists_(lanes(schedule, static_cast<int>(workers_.size()))),
        joules_(schedule, workers_, lists_),
        instances_(schedule.buffers.size()),
        executions_(schedule.graph.tasks.size()),
        critical_(schedule.actions.size(), false),
        charged_(schedule.actions.size(), false),
        class_of_(action_classes(schedule)) {
    for (const ActionId id : critical_path(schedule, workers_, lists_, simulation)) {
      critical_[id] = true;
    }
    find_instances();
    find_peaks();
  }

  std::vector<LedgerEntry> entries() {
    std::vector<LedgerEntry> all;
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      if (class_of_[i] == "recompute") all.push_back(recomputed(ActionId{i}));
      if (class_of_[i] == "copy" && brings_back(ActionId{i})) all.push_back(offloaded(ActionId{i}));
    }
    return all;
  }

 private:
  double start_of(ActionId id) const { return simulation_.start_seconds[id]; }
  double end_of(ActionId id) const { return start_of(id) + simulation_.seconds[id]; }

  void find_instances() {
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      const Action& action = schedule_.actions[i];
      const ActionId id{i};
      if (action.what == Do::compute) executions_[action.task].push_back(id);
      for (const BufferId b : action.writes) {
        if (b == no_buffer) continue;
        Instance& instance = instances_[b];
        const bool is_first = instance.writer == no_action || start_of(id) < instance.begin;
        if (is_first && !schedule_.buffers[b].initial) instance = {start_of(id), instance.end, id};
        instance.end = std::max(instance.end, end_of(id));
      }
      const auto use = [&](BufferId b) {
        instances_[b].end = std::max(instances_[b].end, end_of(id));
      };
      for (const BufferId b : action.reads) use(b);
      for (const BufferId b : action.updates) use(b);
    }
    for (int b = 0; b < static_cast<int>(instances_.size()); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (buffer.initial) instances_[b].end = std::max(instances_[b].end, stays_until(buffer));
      if (buffer.tensor != no_tensor)
        places_[{buffer.tensor, buffer.memory}].push_back(BufferId{b});
    }
  }

  // State is there throughout, inputs while they are read.
  double stays_until(const Buffer& initial) const {
    const bool is_state =
        initial.tensor != no_tensor && schedule_.graph.tensors[initial.tensor].kind == Kind::state;
    return is_state || initial.second_offset ? simulation_.makespan_seconds : 0;
  }

  // When each memory is at its highest.
  void find_peaks() {
    for (const auto& curve : memory_curves(schedule_, simulation_)) {
      std::int64_t highest = 0;
      for (const MemoryLevel& level : curve) highest = std::max(highest, level.bytes);
      std::vector<PeakSpan>& spans = peaks_.emplace_back();
      for (std::size_t i = 0; i < curve.size(); ++i) {
        const bool is_last = i + 1 == curve.size();
        const double end = is_last ? simulation_.makespan_seconds : curve[i + 1].seconds;
        if (curve[i].bytes == highest && end > curve[i].seconds)
          spans.push_back({curve[i].seconds, end});
      }
    }
  }

  bool is_at_peak(MemoryId memory, double since, double until) const {
    const std::vector<PeakSpan>& spans = peaks_[memory];
    const auto next =
        std::lower_bound(spans.begin(), spans.end(), since,
                         [](const PeakSpan& span, double t) { return span.end <= t; });
    return next != spans.end() && next->begin < until;
  }

  // When the latest earlier instance of the same tensor in the same memory had ended.
  std::optional<double> absent_since(BufferId written) const {
    const Buffer& buffer = schedule_.buffers[written];
    const double begin = instances_[written].begin;
    std::optional<double> since;
    if (buffer.tensor == no_tensor) return since;
    for (const BufferId other : places_.at({buffer.tensor, buffer.memory})) {
      const Instance& instance = instances_[other];
      const bool is_earlier = other != written && instance.begin < begin;
      if (is_earlier && instance.end <= begin) since = std::max(since.value_or(0), instance.end);
      if (is_earlier && instance.end > begin) return std::nullopt;  // it still is there
    }
    return since;
  }

  // An output that the earlier executions left out is absent from their end on.
  std::optional<double> left_out_since(ActionId id, BufferId written) const {
    const Buffer& buffer = schedule_.buffers[written];
    const auto place = places_.find({buffer.tensor, buffer.memory});
    if (place == places_.end() || place->second.size() > 1) return std::nullopt;
    std::optional<double> since;
    for (const ActionId other : executions_[schedule_.actions[id].task]) {
      const bool is_earlier = other != id && end_of(other) <= start_of(id);
      if (is_earlier) since = std::max(since.value_or(0), end_of(other));
    }
    return since;
  }

  bool brings_back(ActionId id) const {
    const Action& action = schedule_.actions[id];
    if (action.reads.empty() || action.writes.empty()) return false;
    return instances_[action.writes[0]].writer == id && absent_since(action.writes[0]).has_value();
  }

  LedgerEntry recomputed(ActionId id) {
    const Action& action = schedule_.actions[id];
    const DeviceId device{workers_[action.worker].device};
    LedgerEntry entry{
        .decision = "recompute",
        .name = schedule_.graph.tasks[action.task].name,
        .memory = memory_name(schedule_.platform, schedule_.platform.devices[device].memory),
        .action = action.id};
    charge(id, entry);
    for (const BufferId b : action.writes) {
      if (b == no_buffer) continue;
      auto since = absent_since(b);
      if (!since) since = left_out_since(id, b);
      if (since) save(b, *since, entry);
    }
    return entry;
  }

  LedgerEntry offloaded(ActionId id) {
    const Action& action = schedule_.actions[id];
    const Buffer& back = schedule_.buffers[action.writes[0]];
    LedgerEntry entry{.decision = "offload",
                      .name = schedule_.graph.tensors[back.tensor].name,
                      .memory = memory_name(schedule_.platform, back.memory),
                      .action = action.id};
    charge(id, entry);
    const ActionId away = instances_[action.reads[0]].writer;
    if (away != no_action && schedule_.actions[away].what == Do::copy) charge(away, entry);
    save(action.writes[0], absent_since(action.writes[0]).value_or(0), entry);
    return entry;
  }

  // Every action once: what was taken away once may be brought back several times.
  void charge(ActionId id, LedgerEntry& entry) {
    if (charged_[id]) return;
    charged_[id] = true;
    const double seconds = measured_seconds_[id];
    entry.predicted.seconds += simulation_.seconds[id];
    entry.predicted.joules += simulation_.joules[id];
    entry.measured.seconds += seconds;
    entry.measured.joules += joules_(id, seconds);
    if (critical_[id])
      entry.shared_joules += watts_of_a_longer_step(schedule_) * simulation_.seconds[id];
  }

  void save(BufferId written, double since, LedgerEntry& entry) const {
    const Buffer& buffer = schedule_.buffers[written];
    const std::int64_t bytes = aligned_bytes(schedule_.platform, buffer.memory, buffer.bytes);
    const double until = instances_[written].begin;
    entry.bytes = add_bytes(entry.bytes, bytes);
    entry.byte_seconds += static_cast<double>(bytes) * (until - since);
    if (is_at_peak(buffer.memory, since, until))
      entry.peak_bytes = add_bytes(entry.peak_bytes, bytes);
  }

  const Schedule& schedule_;
  const Simulation& simulation_;
  const std::vector<double>& measured_seconds_;
  std::vector<Worker> workers_;
  Lanes lists_;
  MarginalJoules joules_;
  std::vector<Instance> instances_;                                        // by buffer
  std::map<std::pair<TensorId, MemoryId>, std::vector<BufferId>> places_;  // of a tensor
  std::vector<std::vector<ActionId>> executions_;                          // by task
  std::vector<bool> critical_;                                             // by action
  std::vector<bool> charged_;                                              // likewise
  std::vector<std::string> class_of_;                                      // likewise
  std::vector<std::vector<PeakSpan>> peaks_;                               // by memory, ascending
};

}  // namespace

std::vector<LedgerEntry> checkpoint_ledger(const Schedule& schedule, const Simulation& simulation,
                                           const std::vector<double>& measured_seconds) {
  return Ledger(schedule, simulation, measured_seconds).entries();
}

std::string ledger_table(const std::vector<LedgerEntry>& ledger) {
  if (ledger.empty()) return "";
  TextTable table({{"checkpointing", TextTable::Align::left},
                   {"of", TextTable::Align::left},
                   {"energy"},
                   {"measured"},
                   {"time"},
                   {"frees"},
                   {"at the peak"},
                   {"bytes x time"}});
  const auto add = [&](const std::string& title, const LedgerEntry& entry) {
    table.row({title, entry.name, joules_text(entry.predicted.joules + entry.shared_joules),
               joules_text(entry.cost_joules()), seconds_text(entry.measured.seconds),
               bytes_text(entry.bytes), bytes_text(entry.peak_bytes),
               fmt::format("{:.4g} B s", entry.byte_seconds)});
  };
  std::vector<LedgerEntry> dearest = ledger;
  std::stable_sort(dearest.begin(), dearest.end(), [](const LedgerEntry& a, const LedgerEntry& b) {
    return a.cost_joules() > b.cost_joules();
  });
  LedgerEntry sum{.name = count_text(std::ssize(ledger), "decision")};
  for (std::size_t i = 0; i < dearest.size(); ++i) {
    const LedgerEntry& entry = dearest[i];
    if (i < entries_shown) add(entry.decision, entry);
    sum.predicted.joules += entry.predicted.joules;
    sum.measured.seconds += entry.measured.seconds;
    sum.measured.joules += entry.measured.joules;
    sum.shared_joules += entry.shared_joules;
    sum.bytes = add_bytes(sum.bytes, entry.bytes);
    sum.peak_bytes = add_bytes(sum.peak_bytes, entry.peak_bytes);
    sum.byte_seconds += entry.byte_seconds;
  }
  add("all", sum);
  return table.text();
}

}  // namespace stint
