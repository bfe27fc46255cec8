#include "planner/placement/emptied.hpp"

#include <algorithm>
#include <utility>

namespace stint {
namespace {

constexpr int no_place = -1;

class Emptying {
 public:
  Emptying(const PlacedGraph& graph, PlacedReplay& replay, const PlacementChoice& start,
           const PlacementAim& aim)
      : graph_(graph), replay_(replay), aim_(aim), choice_(start), uses_(uses_of(graph)) {}

  std::optional<PlacementTrial> run() {
    if (!replay_.make(choice_)) return std::nullopt;
    for (std::size_t m = 0; m < aim_.capacity_bytes.size(); ++m) crowded_.push_back(is_over(m));
    for (std::size_t moves = 0; moves <= graph_.tasks(); ++moves) {
      send_all();
      if (!replay_.make(choice_)) return std::nullopt;
      const auto over = first_over();
      if (!over) return what_is_in_time();
      if (!move_what_is_too_large(*over)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // By the replay that was made last.
  bool is_over(std::size_t memory) const {
    return replay_.peak_bytes()[memory] > aim_.capacity_bytes[memory];
  }
  std::optional<MemoryId> first_over() const {
    for (std::size_t m = 0; m < crowded_.size(); ++m)
      if (is_over(m)) return static_cast<MemoryId>(m);
    return std::nullopt;
  }

  std::optional<PlacementTrial> what_is_in_time() {
    auto trial = tried(graph_, replay_, choice_, aim_);
    if (trial && trial->excess > 0) trial.reset();
    return trial;
  }

  MemoryId memory_of(TaskId task) const { return graph_.memory_of(choice_.device[task]); }

  AfterUse away() const {
    return graph_.problem->request().offload ? AfterUse::send : AfterUse::drop;
  }

  // From the last task to the first: where in the order an item is used next, and which task of a
  // memory comes next.
  void send_all() {
    choice_.ahead = 1;
    std::vector<int> next_use(graph_.flat.items.size(), no_place);
    std::vector<int> next_task(crowded_.size(), no_place);
    for (int place = static_cast<int>(choice_.order.size()) - 1; place >= 0; --place) {
      const TaskId task = choice_.order[place];
      const MemoryId memory = memory_of(task);
      for (int use = uses_.first[task]; use < uses_.first[task + 1]; ++use) {
        int& next = next_use[uses_.item[use]];
        const bool stays = next == no_place || next == next_task[memory];
        if (crowded_[memory]) choice_.after[use] = stays ? AfterUse::keep : away();
        next = place;
      }
      next_task[memory] = place;
    }
  }

  // The last task of the memory that has begun at its peak, and what is tied to it.
  bool move_what_is_too_large(MemoryId memory) {
    int place = replay_.place_at(replay_.peak_seconds(memory));
    while (place >= 0 && memory_of(choice_.order[place]) != memory) --place;
    return place >= 0 && moves_elsewhere(choice_.order[place], memory);
  }

  bool moves_elsewhere(TaskId task, MemoryId from) {
    for (std::size_t m = 0; m < crowded_.size(); ++m) {
      const auto memory = static_cast<MemoryId>(m);
      const auto runs_there = [&](TaskId other) {
        return graph_.first_way(other, memory) != nullptr;
      };
      const auto& tied = graph_.tied[task];
      if (memory == from || crowded_[m] || !std::all_of(tied.begin(), tied.end(), runs_there))
        continue;
      for (const TaskId other : tied) {
        choice_.device[other] = graph_.first_way(other, memory)->device;
        choice_.state[other] = graph_.first_way(other, memory)->state;
      }
      return true;
    }
    return false;
  }

  const PlacedGraph& graph_;
  PlacedReplay& replay_;
  const PlacementAim& aim_;
  PlacementChoice choice_;
  PlacedUses uses_;
  std::vector<char> crowded_;  // by memory
};

}  // namespace

std::optional<PlacementTrial> emptied(const PlacedGraph& graph, PlacedReplay& replay,
                                      const PlacementChoice& start, const PlacementAim& aim) {
  return Emptying(graph, replay, start, aim).run();
}

}  // namespace stint
