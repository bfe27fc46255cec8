#include "tests/support/byte_oracle.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace stint {
namespace {

constexpr int start_of_step = -1;
constexpr int old_version = -1;

// A byte of a tensor that is no part, in one version. Workspace is the byte of no tensor.
struct Content {
  int root = no_tensor;
  std::int64_t byte = 0;
  int version = old_version;
  bool operator==(const Content&) const = default;
};

struct Write {
  int action = start_of_step;
  int buffer = 0;  // outermost
};

using Address = std::pair<int, std::int64_t>;  // memory, byte

class Oracle {
 public:
  explicit Oracle(const Schedule& schedule) : s_(schedule) {}

  std::string fault() {
    close_order();
    note_initial_buffers();
    for (int a = 0; a < count(); ++a) note_accesses(a);
    check_pairs();
    for (int a = 0; a < count(); ++a) check_reads(a);
    check_single_assignment();
    check_end();
    return fault_;
  }

 private:
  int count() const { return static_cast<int>(s_.actions.size()); }
  void fail(const std::string& why) {
    if (fault_.empty()) fault_ = why;
  }

  void close_order() {
    before_.assign(count(), std::vector<bool>(count(), false));
    for (int i = 0; i < count(); ++i) {
      for (int j = i + 1; j < count(); ++j) {
        const Action& a = s_.actions[i];
        const Action& b = s_.actions[j];
        const std::set<int> lists = {a.worker, a.occupies == no_worker ? a.worker : a.occupies};
        if (lists.contains(b.worker) || (b.occupies != no_worker && lists.contains(b.occupies))) {
          before_[i][j] = true;
        }
      }
      for (const ActionId earlier : s_.actions[i].after) before_[earlier][i] = true;
    }
    for (int k = 0; k < count(); ++k) {
      for (int i = 0; i < count(); ++i) {
        for (int j = 0; j < count() && before_[i][k]; ++j) {
          if (before_[k][j]) before_[i][j] = true;
        }
      }
    }
  }

  bool before(int a, int b) const {
    if (a == b) return false;
    return a == start_of_step || (b != start_of_step && before_[a][b]);
  }

  // The root tensor and the place in it where a tensor begins.
  std::pair<int, std::int64_t> rooted(TensorId tensor) const {
    std::int64_t offset = 0;
    while (s_.graph.tensors[tensor].part_of && s_.graph.tensors[tensor].bytes > 0) {
      offset += s_.graph.tensors[tensor].part_of->offset_bytes;
      tensor = s_.graph.tensors[tensor].part_of->tensor;
    }
    return {tensor, offset};
  }

  int outer(int buffer) const {
    while (s_.buffers[buffer].within != no_buffer) buffer = s_.buffers[buffer].within;
    return buffer;
  }

  template <typename Visit>
  void each_byte(int buffer, Visit visit) const {
    const Buffer& b = s_.buffers[buffer];
    const auto [root, offset] =
        b.tensor == no_tensor ? std::pair<int, std::int64_t>{no_tensor, 0} : rooted(b.tensor);
    // A tensor of no bytes still has an instance to wait for; it lies at an address of its own.
    if (b.bytes == 0 && b.tensor != no_tensor) visit(Address{-1 - outer(buffer), root}, root, 0);
    for (std::int64_t i = 0; i < b.bytes; ++i) {
      visit(Address{b.memory, b.offset + i}, root, offset + i);
    }
  }

  void note_initial_buffers() {
    for (int b = 0; b < static_cast<int>(s_.buffers.size()); ++b) {
      const Buffer& buffer = s_.buffers[b];
      if (!buffer.initial || buffer.within != no_buffer) continue;
      if (buffer.tensor == no_tensor || s_.graph.tensors[buffer.tensor].kind == Kind::activation) {
        fail("an activation is there from the start");
      }
      each_byte(b, [&](Address at, int root, std::int64_t byte) {
        if (writes_.contains(at)) fail("two buffers in one place from the start");
        writes_[at].push_back({start_of_step, b});
        contents_[{start_of_step, at}] = {root, byte, old_version};
        if (s_.graph.tensors[root].kind == Kind::state) state_home_[at] = {root, byte};
      });
    }
  }

  void note_accesses(int a) {
    const Action& action = s_.actions[a];
    for (const BufferId b : action.reads) {
      each_byte(b, [&](Address at, int, std::int64_t) { readers_[at].insert(a); });
    }
    const auto write = [&](BufferId b) {
      if (b == no_buffer) return;
      each_byte(b, [&](Address at, int root, std::int64_t byte) {
        writes_[at].push_back({a, outer(b)});
        const auto home = state_home_.find(at);
        if (home != state_home_.end() && home->second != std::pair{root, byte}) {
          fail("something lies over state");
        }
      });
    };
    for (const BufferId b : action.writes) write(b);
    for (const BufferId b : action.updates) {
      write(b);
      each_byte(b, [&](Address at, int, std::int64_t) { readers_[at].insert(a); });
    }
    write(action.workspace);
  }

  // All that touch a byte, one of them writing, are ordered or one action that may do so.
  void check_pairs() {
    for (const auto& [at, writes] : writes_) {
      expect_contiguous(writes);
      for (std::size_t i = 0; i < writes.size(); ++i) {
        for (std::size_t j = i + 1; j < writes.size(); ++j) expect_ordered(writes[i], writes[j]);
        for (const int reader : readers_[at]) {
          if (reader == writes[i].action) {
            expect_permitted(reader, at, writes[i]);
          } else if (!before(reader, writes[i].action) && !before(writes[i].action, reader)) {
            fail("a read and a write that are not ordered");
          }
        }
      }
    }
  }

  // A buffer has one lifetime: nothing else is written in its place between two of its writes.
  void expect_contiguous(const std::vector<Write>& writes) {
    for (const Write& first : writes) {
      for (const Write& other : writes) {
        if (other.buffer == first.buffer || !before(first.action, other.action)) continue;
        for (const Write& again : writes) {
          const bool returns = again.buffer == first.buffer && before(other.action, again.action);
          if (returns) fail("a buffer comes back after another took its place");
        }
      }
    }
  }

  void expect_ordered(const Write& a, const Write& b) {
    if (!before(a.action, b.action) && !before(b.action, a.action)) {
      fail("two writes that are not ordered");
    }
  }

  void expect_permitted(int a, Address at, const Write& write) {
    const Action& action = s_.actions[a];
    for (const BufferId b : action.updates) {
      if (outer(b) == write.buffer) return;
    }
    const Task& task = s_.graph.tasks[action.task];
    for (const auto& [y, x] : task.may_overwrite) {
      const auto w = std::find(task.writes.begin(), task.writes.end(), y) - task.writes.begin();
      const auto r = std::find(task.reads.begin(), task.reads.end(), x) - task.reads.begin();
      if (action.writes[w] == no_buffer) continue;
      const Buffer& to = s_.buffers[action.writes[w]];
      const Buffer& from = s_.buffers[action.reads[r]];
      const bool here = to.memory == at.first && to.offset <= at.second &&
                        at.second < to.offset + to.bytes && outer(action.writes[w]) == write.buffer;
      if (here && to.memory == from.memory && to.offset == from.offset && to.bytes <= from.bytes) {
        return;
      }
    }
    fail("an action writes where it reads, without permission");
  }

  // What an address holds for an action: what the last write before it put there.
  std::optional<Content> seen_by(int a, Address at) {
    const Write* last = nullptr;
    for (const Write& write : writes_[at]) {
      if (!before(write.action, a)) continue;
      if (last == nullptr || before(last->action, write.action)) last = &write;
    }
    if (last == nullptr) return std::nullopt;
    return content(*last, at);
  }

  std::optional<Content> content(const Write& write, Address at) {
    if (const auto known = contents_.find({write.action, at}); known != contents_.end()) {
      return known->second;
    }
    const Action& action = s_.actions[write.action];
    std::optional<Content> result;
    const auto consider = [&](BufferId b, int version, BufferId source) {
      if (b == no_buffer || outer(b) != write.buffer) return;
      each_byte(b, [&](Address here, int root, std::int64_t byte) {
        if (here != at) return;
        result = Content{root, byte, version};
        if (source == no_buffer) return;
        const Buffer& from = s_.buffers[source];
        const Address there =
            from.bytes == 0 ? Address{-1 - outer(source), root}
                            : Address{from.memory, from.offset + at.second - s_.buffers[b].offset};
        result = seen_by(write.action, there);
      });
    };
    for (const BufferId b : action.updates) consider(b, action.task, no_buffer);
    const BufferId source = action.what == Do::copy ? action.reads[0] : no_buffer;
    for (const BufferId b : action.writes) consider(b, old_version, source);
    if (result) contents_[{write.action, at}] = *result;
    return result;
  }

  int version_wanted(int root, std::int64_t byte, int task_limit) const {
    int version = old_version;
    for (int t = 0; t < task_limit; ++t) {
      for (const TensorId tensor : s_.graph.tasks[t].updates) {
        const auto [whole, offset] = rooted(tensor);
        const std::int64_t bytes = s_.graph.tensors[tensor].bytes;
        const bool empty_one = bytes == 0 && whole == root;
        if (empty_one || (whole == root && offset <= byte && byte < offset + bytes)) version = t;
      }
    }
    return version;
  }

  void check_reads(int a) {
    const Action& action = s_.actions[a];
    const auto check = [&](BufferId b) {
      each_byte(b, [&](Address at, int root, std::int64_t byte) {
        const auto seen = seen_by(a, at);
        if (!seen || seen->root != root || seen->byte != byte) return fail("a read of other bytes");
        if (action.what != Do::compute) return;
        if (seen->version != version_wanted(root, byte, action.task)) fail("another version");
      });
    };
    for (const BufferId b : action.reads) check(b);
    for (const BufferId b : action.updates) check(b);
  }

  void check_single_assignment() {
    std::set<std::tuple<int, Address>> seen;
    std::set<int> written;
    for (const auto& [at, writes] : writes_) {
      for (const Write& write : writes) {
        written.insert(write.buffer);
        const TensorId tensor = s_.buffers[write.buffer].tensor;
        const bool state = tensor != no_tensor && s_.graph.tensors[tensor].kind == Kind::state;
        if (!seen.insert({write.buffer, at}).second && !state) fail("a byte written twice");
      }
    }
  }

  bool last_holds(Address at, int buffer, int root, std::int64_t byte, int version) {
    const Write* last = nullptr;
    for (const Write& write : writes_[at]) {
      if (last == nullptr || before(last->action, write.action)) last = &write;
    }
    if (last == nullptr || last->buffer != buffer) return false;
    return content(*last, at) == Content{root, byte, version};
  }

  bool holds_at_the_end(int buffer, int piece_of) {
    bool right = true;
    const int tasks = static_cast<int>(s_.graph.tasks.size());
    int wanted_root = 0;
    std::int64_t first = 0;
    std::tie(wanted_root, first) = rooted(static_cast<TensorId>(piece_of));
    const std::int64_t bytes = s_.graph.tensors[piece_of].bytes;
    std::int64_t found = 0;
    each_byte(buffer, [&](Address at, int root, std::int64_t byte) {
      if (root != wanted_root || byte < first || (bytes > 0 && byte >= first + bytes)) return;
      ++found;
      right = right && last_holds(at, buffer, root, byte, version_wanted(root, byte, tasks));
    });
    return right && found == std::max<std::int64_t>(bytes, 1);
  }

  void check_end() {
    for (int b = 0; b < static_cast<int>(s_.buffers.size()); ++b) {
      const Buffer& buffer = s_.buffers[b];
      if (!buffer.initial || buffer.within != no_buffer || buffer.tensor == no_tensor) continue;
      if (s_.graph.tensors[buffer.tensor].kind != Kind::state) continue;
      if (!holds_at_the_end(b, buffer.tensor)) fail("state is not back");
    }
    for (const TensorId result : s_.graph.results) {
      bool held = false;
      for (int b = 0; b < static_cast<int>(s_.buffers.size()); ++b) {
        if (s_.buffers[b].within != no_buffer || s_.buffers[b].tensor == no_tensor) continue;
        held = held || holds_at_the_end(b, result);
      }
      if (!held) fail("a result is missing");
    }
  }

  const Schedule& s_;
  std::vector<std::vector<bool>> before_;
  std::map<Address, std::vector<Write>> writes_;
  std::map<Address, std::set<int>> readers_;
  std::map<std::pair<int, Address>, Content> contents_;
  std::map<Address, std::pair<int, std::int64_t>> state_home_;
  std::string fault_;
};

}  // namespace

std::string fault_in_bytes(const Schedule& schedule) { return Oracle(schedule).fault(); }

}  // namespace stint
