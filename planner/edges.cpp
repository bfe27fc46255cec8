#include "planner/edges.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace stint {

namespace {

constexpr ActionId nobody{-1};

// Who wrote and who read each segment of an outermost buffer since it was last written.
struct History {
  int first_segment = 0;
  bool is_state = false;
  std::vector<ActionId> writer;
  std::vector<std::vector<ActionId>> readers;  // kept for state only: nothing else is rewritten
};

std::vector<History> histories(const Problem& problem, const std::vector<Buffer>& buffers) {
  std::vector<History> all(buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].tensor == no_tensor || buffers[b].within != no_buffer) continue;
    const SegmentRange range = problem.segments.of_tensor[buffers[b].tensor];
    all[b].first_segment = range.begin;
    all[b].is_state = problem.graph().tensors[buffers[b].tensor].kind == Kind::state;
    all[b].writer.assign(range.size(), nobody);
    if (all[b].is_state) all[b].readers.resize(range.size());
  }
  return all;
}

class DataEdges {
 public:
  DataEdges(const Problem& problem, const std::vector<Buffer>& buffers, std::size_t actions)
      : problem_(problem),
        buffers_(buffers),
        histories_(histories(problem, buffers)),
        edges_(actions) {}

  void add(ActionId id, const Action& action) {
    if (action.for_step == 1) return;  // into the half that nobody reads in this step
    for (const BufferId buffer : action.reads) read(id, buffer);
    for (const BufferId buffer : action.updates) read(id, buffer);
    for (const BufferId buffer : action.updates) write(id, buffer);
    for (const BufferId buffer : action.writes) {
      if (buffer != no_buffer) write(id, buffer);
    }
  }

  Edges finish() { return std::move(edges_); }

 private:
  template <typename Visit>
  void for_each_segment(BufferId buffer, Visit visit) {
    History& history = histories_[outermost(buffers_, buffer)];
    const SegmentRange range = problem_.segments.of_tensor[buffers_[buffer].tensor];
    for (int s = range.begin; s < range.end; ++s) visit(history, s - history.first_segment);
  }

  void wait_for(ActionId id, ActionId other) {
    if (other == nobody || other == id) return;
    std::vector<ActionId>& mine = edges_[id];
    if (mine.empty() || mine.back() != other) mine.push_back(other);
  }

  void read(ActionId id, BufferId buffer) {
    for_each_segment(buffer, [&](History& history, int s) {
      wait_for(id, history.writer[s]);
      if (history.is_state) history.readers[s].push_back(id);
    });
  }

  void write(ActionId id, BufferId buffer) {
    for_each_segment(buffer, [&](History& history, int s) {
      wait_for(id, history.writer[s]);
      history.writer[s] = id;
      if (!history.is_state) return;
      for (const ActionId reader : history.readers[s]) wait_for(id, reader);
      history.readers[s].clear();
    });
  }

  const Problem& problem_;
  const std::vector<Buffer>& buffers_;
  std::vector<History> histories_;
  Edges edges_;
};

// Who used each outermost buffer last, one action for each worker, and who writes into it.
struct Uses {
  std::vector<std::vector<ActionId>> last;
  std::vector<std::vector<ActionId>> writers;
};

void note_last(const std::vector<Action>& actions, ActionId id, std::vector<ActionId>& last) {
  const auto same_worker = [&](ActionId other) {
    return actions[other].worker == actions[id].worker;
  };
  const auto mine = std::find_if(last.begin(), last.end(), same_worker);
  if (mine == last.end())
    last.push_back(id);
  else
    *mine = id;
}

Uses uses_of(const std::vector<Buffer>& buffers, const std::vector<Action>& actions) {
  Uses uses{std::vector<std::vector<ActionId>>(buffers.size()),
            std::vector<std::vector<ActionId>>(buffers.size())};
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const auto id = static_cast<ActionId>(a);
    for (const BufferId buffer : touched(actions[a]))
      note_last(actions, id, uses.last[outermost(buffers, buffer)]);
    if (actions[a].workspace != no_buffer) uses.writers[actions[a].workspace].push_back(id);
    for (const BufferId buffer : actions[a].writes) {
      if (buffer != no_buffer) uses.writers[outermost(buffers, buffer)].push_back(id);
    }
  }
  return uses;
}

// Which buffer's bytes stand at each address of one memory: begin -> (end, buffer).
class Occupants {
 public:
  // Puts the buffer at its place and returns those whose bytes it takes, each once.
  std::vector<BufferId> replace(const Buffer& buffer, BufferId id) {
    std::vector<BufferId> gone;
    const std::int64_t begin = buffer.offset;
    const std::int64_t end = begin + buffer.bytes;
    auto at = bytes_.upper_bound(begin);
    if (at != bytes_.begin() && std::prev(at)->second.end > begin) --at;
    while (at != bytes_.end() && at->first < end) {
      const auto [from, old] = *at;
      gone.push_back(old.buffer);
      at = bytes_.erase(at);
      if (from < begin) bytes_[from] = {begin, old.buffer};
      if (old.end > end) at = bytes_.insert_or_assign(end, old).first;
    }
    bytes_[begin] = {end, id};
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    return gone;
  }

 private:
  struct Span {
    std::int64_t end = 0;
    BufferId buffer = no_buffer;
  };
  std::map<std::int64_t, Span> bytes_;
};

// The lists of the workers in use, and where each action stands in them.
struct WorkerLists {
  std::vector<int> of_worker;       // worker -> list, -1: not in use
  std::vector<int> place;           // of an action in its worker's list, from 1
  std::vector<int> occupied_place;  // and in that of the worker it occupies, else 0
  int count = 0;
};

WorkerLists worker_lists(const Problem& problem, const std::vector<Action>& actions) {
  WorkerLists lists{std::vector<int>(problem.workers.size(), -1), {}, {}, 0};
  std::vector<int> length;
  const auto append = [&](WorkerId worker) {
    int& list = lists.of_worker[worker];
    if (list < 0) {
      list = lists.count++;
      length.push_back(0);
    }
    return ++length[list];
  };
  for (const Action& action : actions) {
    lists.place.push_back(append(action.worker));
    lists.occupied_place.push_back(action.occupies == no_worker ? 0 : append(action.occupies));
  }
  return lists;
}

// A clock says of every list how many of its first actions are known to be finished.
class Clocks {
 public:
  Clocks(const Problem& problem, const std::vector<Action>& actions)
      : actions_(actions),
        lists_(worker_lists(problem, actions)),
        of_action_(actions.size() * lists_.count),
        of_list_(std::size_t(lists_.count) * lists_.count) {}

  // Takes the next action; says which of `sources`, latest first, it must name: the others are
  // implied.
  std::vector<ActionId> advance(ActionId id, const std::vector<ActionId>& sources) {
    const int own = lists_.of_worker[actions_[id].worker];
    const WorkerId occupies = actions_[id].occupies;
    const int other = occupies == no_worker ? own : lists_.of_worker[occupies];
    int* clock = row(of_action_, id);
    join(clock, row(of_list_, own));
    join(clock, row(of_list_, other));
    std::vector<ActionId> named;
    for (const ActionId source : sources) {
      if (knows(clock, source)) continue;
      named.push_back(source);
      join(clock, row(of_action_, source));
    }
    if (occupies != no_worker) clock[other] = lists_.occupied_place[id];
    clock[own] = lists_.place[id];
    std::copy_n(clock, lists_.count, row(of_list_, own));
    std::copy_n(clock, lists_.count, row(of_list_, other));
    return named;
  }

 private:
  int* row(std::vector<int>& table, int index) const {
    return table.data() + std::size_t(index) * lists_.count;
  }
  bool knows(const int* clock, ActionId source) const {
    return clock[lists_.of_worker[actions_[source].worker]] >= lists_.place[source];
  }
  void join(int* into, const int* from) const {
    for (int l = 0; l < lists_.count; ++l) into[l] = std::max(into[l], from[l]);
  }

  const std::vector<Action>& actions_;
  WorkerLists lists_;
  std::vector<int> of_action_;
  std::vector<int> of_list_;
};

}  // namespace

std::vector<BufferId> touched(const Action& action) {
  std::vector<BufferId> all = action.reads;
  all.insert(all.end(), action.updates.begin(), action.updates.end());
  std::copy_if(action.writes.begin(), action.writes.end(), std::back_inserter(all),
               [](BufferId buffer) { return buffer != no_buffer; });
  if (action.workspace != no_buffer) all.push_back(action.workspace);
  return all;
}

BufferId outermost(const std::vector<Buffer>& buffers, BufferId buffer) {
  while (buffers[buffer].within != no_buffer) buffer = buffers[buffer].within;
  return buffer;
}

Edges data_edges(const Problem& problem, const std::vector<Buffer>& buffers,
                 const std::vector<Action>& actions) {
  DataEdges edges(problem, buffers, actions.size());
  for (std::size_t a = 0; a < actions.size(); ++a) edges.add(static_cast<ActionId>(a), actions[a]);
  return edges.finish();
}

void add_reuse_edges(const Problem& problem, const std::vector<Buffer>& buffers,
                     const std::vector<Action>& actions, const std::vector<BufferId>& order,
                     Edges& edges) {
  const Uses uses = uses_of(buffers, actions);
  std::vector<Occupants> memories(problem.platform().memories.size());
  for (const BufferId buffer : order) {
    if (buffers[buffer].bytes == 0) continue;
    for (const BufferId old : memories[buffers[buffer].memory].replace(buffers[buffer], buffer)) {
      for (const ActionId writer : uses.writers[buffer]) {
        for (const ActionId user : uses.last[old]) {
          if (user != writer) edges[writer].push_back(user);
        }
      }
    }
  }
}

void set_after(const Problem& problem, const Edges& edges, std::vector<Action>& actions) {
  Clocks clocks(problem, actions);
  for (std::size_t a = 0; a < actions.size(); ++a) {
    std::vector<ActionId> sources = edges[a];
    std::sort(sources.begin(), sources.end(), std::greater<>());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    actions[a].after = clocks.advance(static_cast<ActionId>(a), sources);
    std::reverse(actions[a].after.begin(), actions[a].after.end());
  }
}

}  // namespace stint
