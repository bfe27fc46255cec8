// R8 to R11, R13, R17: what every byte holds when it is read, and that nobody else can have
// touched it.
//
// One pass over the actions in a topological order, with what every cell holds at that point. The
// pass sees one of the possible timings; that its findings hold for all of them follows from what
// it asks of happens-before:
// - a read must come after the last write of its cells, and a write of a cell after everyone who
//   accessed the cell before, so all accesses of a cell in question are ordered;
// - a buffer that takes addresses over must be written after all accesses of the buffer that had
//   them, and that buffer must not be accessed any more. Whoever had them earlier still is covered:
//   happens-before is transitive, so only the last owner of an address has to be asked.
// Cost: O(a·w' + b log b): a accesses, b cells, w' the workers that access one cell.
#include <fmt/format.h>

#include <algorithm>

#include "schedules/address_map.hpp"
#include "schedules/rules.hpp"

namespace stint {
namespace {

// The latest access of each worker to a cell; earlier ones of the same worker come before it.
struct Access {
  ActionId action{0};
  int next = nobody;
};

class Pass {
 public:
  Pass(const Judge& judge, const Layout& layout, const StateVersions& versions,
       const HappensBefore& before, Contents& contents)
      : judge_(judge),
        schedule_(judge.schedule),
        layout_(layout),
        versions_(versions),
        before_(before),
        contents_(contents),
        cells_(contents.cells),
        memories_(schedule_.platform.memories.size()) {
    contents.cells.resize(layout.cell_place.size());
    contents.origins.resize(layout.segments.count(), 0);
    contents.loads_ahead.resize(schedule_.buffers.size(), 0);
    place_initial_buffers();
  }

  void perform(ActionId id) {
    const Action& action = schedule_.actions[id];
    for (const BufferId buffer : action.reads) read(id, buffer);
    for (const BufferId buffer : action.updates) update(id, buffer);
    if (action.workspace != no_buffer) write(id, action.workspace);
    for (const BufferId buffer : action.writes) {
      if (buffer == no_buffer) continue;
      if (action.what == Do::load && action.for_step == 1) {
        load_ahead(id, buffer);
      } else {
        write(id, buffer);
      }
    }
  }

 private:
  const Buffer& place_of(int cell) const { return schedule_.buffers[layout_.cell_place[cell]]; }
  bool is_double(int cell) const { return place_of(cell).second_offset.has_value(); }
  Kind kind_of(BufferId buffer) const { return judge_.kind(buffer); }

  void place_initial_buffers() {
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (!buffer.initial || buffer.within != no_buffer) continue;
      if (kind_of(BufferId{b}) == Kind::activation) {
        judge_.report(8, buffer_path(BufferId{b}, "initial"),
                      judge_.buffer(BufferId{b}) +
                          " is there from the start; expected that only of inputs and state");
      }
      for (int c = layout_.cells[b].begin; c < layout_.cells[b].end; ++c) {
        cells_[c].written = true;
        cells_[c].lasting = kind_of(BufferId{b}) == Kind::state || buffer.second_offset.has_value();
        if (kind_of(BufferId{b}) == Kind::input) ++contents_.origins[layout_.cell_segment[c]];
        take_addresses(c, nobody);
      }
    }
  }

  // Reading.

  void read(ActionId id, BufferId buffer) {
    const Action& action = schedule_.actions[id];
    for (int c = layout_.cells[buffer].begin; c < layout_.cells[buffer].end; ++c) {
      if (!expect_readable(id, buffer, c)) return;
      if (action.what == Do::compute && kind_of(buffer) == Kind::state) {
        expect_version(id, buffer, c, versions_.before(layout_.cell_segment[c], action.task));
      }
      if (!is_double(c)) note_access(c, id);
    }
  }

  bool expect_readable(ActionId id, BufferId buffer, int c) {
    const Cell& cell = cells_[c];
    if (!cell.written) {
      judge_.report(
          9, action_path(id, "reads"),
          fmt::format("{} needs {}, which nothing has written before{}; expected it written "
                      "by an action that comes before",
                      judge_.action(id), judge_.buffer(buffer), which_bytes(buffer, c)));
      return false;
    }
    if (cell.lost_to != nobody) {
      report_lost(id, buffer, c);
      return false;
    }
    const bool old_half = is_double(c) && reads_old_half(id, c);
    if (cell.writer != nobody && !old_half && !before_(ActionId{cell.writer}, id)) {
      judge_.report(9, action_path(id, "after"),
                    fmt::format("{} needs {}, but nothing makes it wait for {}; expected an order",
                                judge_.action(id), judge_.buffer(buffer),
                                judge_.action(ActionId{cell.writer})));
      return false;
    }
    return true;
  }

  // In a double buffer the version from before the step stays readable in its own half. A task says
  // which version it wants; a copy takes the new one if that is certain to be there.
  bool reads_old_half(ActionId id, int c) const {
    const Action& action = schedule_.actions[id];
    if (action.what == Do::compute) {
      return versions_.before(layout_.cell_segment[c], action.task) == initial_version;
    }
    return cells_[c].writer == nobody || !before_(ActionId{cells_[c].writer}, id);
  }

  int version_copied(ActionId id, int c) const {
    return is_double(c) && reads_old_half(id, c) ? initial_version : cells_[c].version;
  }

  void expect_version(ActionId id, BufferId buffer, int c, int expected) {
    const bool old_half = is_double(c) && expected == initial_version;
    if (cells_[c].version == expected || old_half) return;
    judge_.report(
        13, action_path(id),
        fmt::format("{} finds {} {}; expected {}", judge_.action(id), judge_.buffer(buffer),
                    judge_.version(cells_[c].version), judge_.version(expected)));
  }

  // Only the bytes of a tensor that is written in pieces need saying.
  std::string which_bytes(BufferId buffer, int c) const {
    if (layout_.cells[buffer].end - layout_.cells[buffer].begin <= 1) return "";
    const int segment = layout_.cell_segment[c];
    const std::int64_t start = layout_.segments.root_offset[schedule_.buffers[buffer].tensor];
    return fmt::format(" (its bytes {} to {})", layout_.segments.begin_bytes[segment] - start,
                       layout_.segments.end_bytes[segment] - start);
  }

  void report_lost(ActionId id, BufferId buffer, int c) const {
    judge_.report(10, action_path(id),
                  fmt::format("{} uses {}, but {} has been put in its place; expected its bytes to "
                              "stay until the last use",
                              judge_.action(id), judge_.buffer(buffer),
                              judge_.buffer(layout_.cell_place[cells_[c].lost_to])));
  }

  // Writing.

  void update(ActionId id, BufferId buffer) {
    const Action& action = schedule_.actions[id];
    for (int c = layout_.cells[buffer].begin; c < layout_.cells[buffer].end; ++c) {
      if (!expect_readable(id, buffer, c)) return;
      expect_version(id, buffer, c, versions_.before(layout_.cell_segment[c], action.task));
      rewrite(id, buffer, c, action.task);
    }
  }

  void write(ActionId id, BufferId buffer) {
    const Action& action = schedule_.actions[id];
    const bool state = kind_of(buffer) == Kind::state;
    for (int i = 0; i < layout_.cells[buffer].end - layout_.cells[buffer].begin; ++i) {
      const int c = layout_.cells[buffer].begin + i;
      const int version = action.what == Do::copy
                              ? version_copied(id, layout_.cells[action.reads[0]].begin + i)
                              : initial_version;
      if (action.what == Do::load) ++contents_.origins[layout_.cell_segment[c]];
      if (!cells_[c].written) {
        first_write(id, c, version);
      } else if (!state) {
        return report_second_write(id, buffer, c);
      } else if (cells_[c].lost_to != nobody) {
        return report_lost(id, buffer, c);
      } else {
        rewrite(id, buffer, c, version);
      }
    }
  }

  void report_second_write(ActionId id, BufferId buffer, int c) const {
    const std::string first = cells_[c].writer == nobody
                                  ? std::string("holds its tensor from the start")
                                  : "is written by " + judge_.action(ActionId{cells_[c].writer});
    judge_.report(8, action_path(id, "writes"),
                  fmt::format("{} writes {}, which {}; expected every byte written once, "
                              "recomputing takes a new buffer",
                              judge_.action(id), judge_.buffer(buffer), first));
  }

  void first_write(ActionId id, int c, int version) {
    Cell& cell = cells_[c];
    cell.written = true;
    cell.version = version;
    cell.writer = id;
    cell.writes = 1;
    take_addresses(c, id);
    note_access(c, id);
  }

  // Puts another version of state into a cell that holds one.
  void rewrite(ActionId id, BufferId buffer, int c, int version) {
    Cell& cell = cells_[c];
    if (!is_double(c)) expect_finished(id, buffer, c);
    if (is_double(c) && cell.writes > 0) {
      judge_.report(17, action_path(id),
                    fmt::format("{} rewrites {} a second time in the step; expected once, into the "
                                "half of the next step",
                                judge_.action(id), judge_.buffer(buffer)));
    }
    cell.version = version;
    cell.writer = id;
    ++cell.writes;
    cell.accesses = nobody;
    note_access(c, id);
  }

  // Everyone who accessed the cell must be done with it.
  void expect_finished(ActionId id, BufferId buffer, int c) {
    for (int a = cells_[c].accesses; a != nobody; a = accesses_[a].next) {
      const ActionId other = accesses_[a].action;
      if (other == id || before_(other, id)) continue;
      judge_.report(
          10, action_path(id, "after"),
          fmt::format("{} changes {}, but nothing makes it wait for {}; expected an order",
                      judge_.action(id), judge_.buffer(buffer), judge_.action(other)));
      return;
    }
  }

  void note_access(int c, ActionId id) {
    const WorkerId worker = schedule_.actions[id].worker;
    for (int a = cells_[c].accesses; a != nobody; a = accesses_[a].next) {
      if (schedule_.actions[accesses_[a].action].worker != worker) continue;
      accesses_[a].action = id;
      return;
    }
    accesses_.push_back({id, cells_[c].accesses});
    cells_[c].accesses = static_cast<int>(accesses_.size()) - 1;
  }

  // Addresses.

  // `taker` is nobody for what is there from the start.
  void take_addresses(int c, int taker) {
    const Extent first = extent(schedule_, layout_, c);
    const Buffer& place = place_of(c);
    const auto lost = [&](int previous) { lose(previous, c, taker); };
    memories_[place.memory].take(first.begin, first.end, c, lost);
    if (!place.second_offset) return;
    const std::int64_t ahead = *place.second_offset - place.offset;
    memories_[place.memory].take(first.begin + ahead, first.end + ahead, c, lost);
  }

  // A cell may lose its addresses to several, one after another: each must come after its accesses.
  // If one does not, that is told here, and not again by whoever uses the cell later.
  void lose(int previous, int c, int taker) {
    if (previous == c || !expect_may_take(previous, c, taker)) return;
    if (cells_[previous].lost_to == nobody) cells_[previous].lost_to = c;
  }

  // Reports, and returns false, if cell c must not take the addresses of a previous one.
  bool expect_may_take(int previous, int c, int taker) {
    const std::string_view expected = "expected them apart in space, or in the order of actions";
    if (taker == nobody || cells_[previous].lasting) {
      report_overlap(previous, c, taker, "which must stay", expected);
      return false;
    }
    for (int a = cells_[previous].accesses; a != nobody; a = accesses_[a].next) {
      const ActionId other = accesses_[a].action;
      if (before_(other, ActionId{taker})) continue;
      if (other == taker) {
        if (overwriting_is_permitted(previous, c, other)) continue;
        judge_.report(
            11, action_path(other),
            fmt::format("{} has {} and {} at the same addresses; expected them apart, or a "
                        "task that may overwrite, at the same offset and no larger",
                        judge_.action(other), judge_.buffer(layout_.cell_place[previous]),
                        judge_.buffer(layout_.cell_place[c])));
        return false;
      }
      report_overlap(previous, c, taker, "used by " + judge_.action(other), expected);
      return false;
    }
    return true;
  }

  void report_overlap(int previous, int c, int taker, const std::string& why,
                      std::string_view expected) const {
    const std::string who = taker == nobody ? "" : ", written by " + judge_.action(ActionId{taker});
    judge_.report(10, buffer_path(layout_.cell_place[c]),
                  fmt::format("{}{}, lies over {}, {}; {}", judge_.buffer(layout_.cell_place[c]),
                              who, judge_.buffer(layout_.cell_place[previous]), why, expected));
  }

  // The task permits it, and the execution puts y exactly where it reads x.
  bool overwriting_is_permitted(int previous, int c, ActionId id) const {
    const Action& action = schedule_.actions[id];
    if (action.what != Do::compute) return false;
    const Task& task = schedule_.graph.tasks[action.task];
    for (const auto& [y, x] : task.may_overwrite) {
      const BufferId written = buffer_for(task.writes, action.writes, y);
      const BufferId read = buffer_for(task.reads, action.reads, x);
      if (written == no_buffer || read == no_buffer) continue;
      if (!has_cell(written, c) || !has_cell(read, previous)) continue;
      const Buffer& new_one = schedule_.buffers[written];
      const Buffer& old_one = schedule_.buffers[read];
      return new_one.offset == old_one.offset && new_one.bytes <= old_one.bytes;
    }
    return false;
  }

  static BufferId buffer_for(const std::vector<TensorId>& tensors,
                             const std::vector<BufferId>& buffers, TensorId tensor) {
    const auto found = std::find(tensors.begin(), tensors.end(), tensor);
    return found == tensors.end() ? no_buffer : buffers[found - tensors.begin()];
  }

  bool has_cell(BufferId buffer, int c) const {
    return layout_.cells[buffer].begin <= c && c < layout_.cells[buffer].end;
  }

  // Double buffers.

  void load_ahead(ActionId id, BufferId buffer) {
    const BufferId place = layout_.place[buffer];
    if (!schedule_.buffers[place].second_offset) {
      judge_.report(
          17, action_path(id, "for_step"),
          fmt::format("{} loads the next step's {} over this step's; expected a double buffer",
                      judge_.action(id), judge_.buffer(buffer)));
    } else if (buffer != place) {
      judge_.report(17, action_path(id, "writes"),
                    judge_.action(id) + " loads a part; expected the whole double buffer");
    } else {
      ++contents_.loads_ahead[buffer];
    }
  }

  const Judge& judge_;
  const Schedule& schedule_;
  const Layout& layout_;
  const StateVersions& versions_;
  const HappensBefore& before_;
  Contents& contents_;
  std::vector<Cell>& cells_;  // of the contents
  std::vector<Access> accesses_;
  std::vector<AddressMap> memories_;
};

}  // namespace

Contents judge_contents(const Judge& judge, const Layout& layout, const StateVersions& versions,
                        const HappensBefore& before, const std::vector<ActionId>& order) {
  Contents contents;
  Pass pass(judge, layout, versions, before, contents);
  for (const ActionId id : order) pass.perform(id);
  return contents;
}

}  // namespace stint
