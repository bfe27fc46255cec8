#include "planner/lifetimes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "planner/addresses/fit.hpp"
#include "planner/addresses/offsets.hpp"
#include "planner/edges.hpp"

namespace stint {

namespace {

constexpr double fit_share = 0.1;  // of the limit, for one attempt at offsets within a capacity
constexpr int before_all = -1;     // where what is there from the start begins to live

// over[y] = x: buffer y takes the place of buffer x.
using Overwrites = std::vector<BufferId>;

void include(const std::vector<Buffer>& buffers, const Action& action, int start, int end,
             Lifetimes& lifetimes) {
  for (const BufferId buffer : touched(action)) {
    const BufferId whole = outermost(buffers, buffer);
    lifetimes.begin[whole] = std::min(lifetimes.begin[whole], start);
    lifetimes.end[whole] = std::max(lifetimes.end[whole], end);
  }
}

void extend(const Problem& problem, const Buffer& buffer, BufferId whole, Lifetimes& lifetimes) {
  if (!buffer.initial) return;
  lifetimes.begin[whole] = before_all;
  const bool is_state = problem.graph().tensors[buffer.tensor].kind == Kind::state;
  if (is_state || buffer.second_offset) lifetimes.stays[whole] = true;
}

// For every buffer the latest end of a use, and of a use by another action than that one.
struct LastUses {
  std::vector<int> last;
  std::vector<int> last_but_one;
};

LastUses last_uses(const Lifetimes& lifetimes, const std::vector<Buffer>& buffers,
                   const std::vector<Action>& actions) {
  LastUses uses{std::vector<int>(buffers.size(), -1), std::vector<int>(buffers.size(), -1)};
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const int end = lifetimes.events.end[a];
    for (const BufferId buffer : touched(actions[a])) {
      int& last = uses.last[buffer];
      if (end == last) continue;
      uses.last_but_one[buffer] = std::max(uses.last_but_one[buffer], std::min(last, end));
      last = std::max(last, end);
    }
  }
  return uses;
}

BufferId buffer_for(TensorId tensor, const std::vector<TensorId>& tensors,
                    const std::vector<BufferId>& buffers) {
  const auto at = std::find(tensors.begin(), tensors.end(), tensor) - tensors.begin();
  return buffers[at];
}

// Where y may take x's place: the task permits it, x has no other use that is not finished when the
// task starts, y is not larger, and neither shares its buffer with parts.
Overwrites find_overwrites(const Problem& problem, const Lifetimes& lifetimes,
                           const std::vector<Action>& actions, const std::vector<Buffer>& buffers) {
  const LastUses uses = last_uses(lifetimes, buffers, actions);
  Overwrites over(buffers.size(), no_buffer);
  for (std::size_t a = 0; a < actions.size(); ++a) {
    if (actions[a].what != Do::compute) continue;
    const Task& task = problem.graph().tasks[actions[a].task];
    for (const auto& [y_tensor, x_tensor] : task.may_overwrite) {
      const BufferId y = buffer_for(y_tensor, task.writes, actions[a].writes);
      const BufferId x = buffer_for(x_tensor, task.reads, actions[a].reads);
      if (y == no_buffer || !lifetimes.alone[y] || !lifetimes.alone[x] || lifetimes.stays[x])
        continue;
      const bool last_use = uses.last[x] == lifetimes.events.end[a] &&
                            uses.last_but_one[x] < lifetimes.events.start[a];
      if (last_use && buffers[y].bytes > 0 && buffers[y].bytes <= buffers[x].bytes) over[y] = x;
    }
  }
  return over;
}

// The outermost buffers of one memory as items; a buffer and those that take its place are one, the
// halves of a double buffer are two, one behind the other.
struct Items {
  std::vector<Item> items;
  std::vector<int> of_buffer;  // -1: not of this memory
};

Items items_of(const Problem& problem, MemoryId memory, const Lifetimes& lifetimes,
               const std::vector<Buffer>& buffers, const std::vector<BufferId>& order,
               const Overwrites& over) {
  Items result;
  result.of_buffer.assign(buffers.size(), -1);
  for (const BufferId b : order) {
    if (buffers[b].memory != memory) continue;
    if (over[b] != no_buffer) {
      result.of_buffer[b] = result.of_buffer[over[b]];
      Item& item = result.items[result.of_buffer[b]];
      item.end = std::max(item.end, lifetimes.end[b]);
      continue;
    }
    const std::int64_t bytes = aligned(buffers[b].bytes, problem.platform().memories[memory]);
    result.of_buffer[b] = static_cast<int>(result.items.size());
    const int halves = buffers[b].second_offset ? 2 : 1;
    result.items.insert(result.items.end(), halves, {bytes, lifetimes.begin[b], lifetimes.end[b]});
  }
  return result;
}

struct Layout {
  Items items;
  Placement placement;
};

// Within a bound, and on a disk, any arena will do; otherwise, and where bytes are the objective,
// the smallest.
bool will_any_arena_do(const Problem& problem, MemoryId memory) {
  const Memory& what = problem.platform().memories[memory];
  const bool is_bounded = problem.capacity_bytes[memory] < what.bytes;
  return problem.request().objective != Objective::memory &&
         (is_bounded || what.kind == MemoryKind::storage);
}

// Quickly where `fit_layout` sees to it that the arena is small enough, or where nothing can.
Layout layout(const Problem& problem, MemoryId memory, const Lifetimes& lifetimes,
              const std::vector<Buffer>& buffers, const Overwrites& over) {
  Layout result;
  result.items = items_of(problem, memory, lifetimes, buffers, by_begin(lifetimes), over);
  const std::vector<Item>& items = result.items.items;
  const std::int64_t capacity = problem.capacity_bytes[memory];
  const bool is_quick = will_any_arena_do(problem, memory) || largest_load(items) > capacity;
  result.placement = is_quick ? place_quickly(items, capacity) : place(items);
  return result;
}

// Only where both take the same bytes: what is left of a larger buffer is lost.
Overwrites of_equal_bytes(const Problem& problem, MemoryId memory,
                          const std::vector<Buffer>& buffers, Overwrites over) {
  const auto bytes = [&](BufferId b) {
    return aligned(buffers[b].bytes, problem.platform().memories[memory]);
  };
  for (std::size_t b = 0; b < over.size(); ++b) {
    if (over[b] != no_buffer && bytes(static_cast<BufferId>(b)) != bytes(over[b]))
      over[b] = no_buffer;
  }
  return over;
}

// What lives throughout lies at the bottom: wherever it lies otherwise, what is below it could
// change places with it. The rest is placed by itself, exactly if need be.
void fit_layout(std::int64_t capacity, double limit, Layout& layout) {
  const std::vector<Item>& items = layout.items.items;
  if (layout.placement.arena_bytes <= capacity || largest_load(items) > capacity) return;
  int begin = INT32_MAX;
  int end = INT32_MIN;
  for (const Item& item : items) begin = std::min(begin, item.begin), end = std::max(end, item.end);
  std::vector<std::int64_t> offsets(items.size(), 0);
  std::vector<Item> others;
  std::int64_t bottom = 0;
  const auto lasts = [&](const Item& item) { return item.begin == begin && item.end == end; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!lasts(items[i])) others.push_back(items[i]);
    if (lasts(items[i])) offsets[i] = std::exchange(bottom, bottom + items[i].bytes);
  }
  Placement above = place(others, capacity - bottom);
  if (above.arena_bytes > capacity - bottom) {
    FitOptions options;
    options.limit = limit;
    Fit found = fit(others, capacity - bottom, options);
    if (found.status != FitStatus::fits) return;
    above.offsets = std::move(found.offsets);
  }
  std::size_t next = 0;
  layout.placement = {std::move(offsets), 0};
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::int64_t& offset = layout.placement.offsets[i];
    if (!lasts(items[i])) offset = bottom + above.offsets[next++];
    layout.placement.arena_bytes = std::max(layout.placement.arena_bytes, offset + items[i].bytes);
  }
}

// With overwriting or without, whichever takes less; if that is too much, the other way as well.
Layout best_layout(const Problem& problem, MemoryId memory, const Lifetimes& lifetimes,
                   const std::vector<Buffer>& buffers, const Overwrites& over, double effort) {
  const std::int64_t capacity = problem.capacity_bytes[memory];
  const double limit = problem.request().limit * fit_share * effort;
  const Overwrites none(buffers.size(), no_buffer);
  Layout best = layout(problem, memory, lifetimes, buffers, none);
  const bool will_do = will_any_arena_do(problem, memory) && best.placement.arena_bytes <= capacity;
  if (over == none || will_do) {
    fit_layout(capacity, limit, best);
    return best;
  }
  Layout other = layout(problem, memory, lifetimes, buffers, over);
  if (other.placement.arena_bytes < best.placement.arena_bytes) std::swap(best, other);
  if (best.placement.arena_bytes > capacity) {
    const Overwrites equal = of_equal_bytes(problem, memory, buffers, over);
    Layout in_place = layout(problem, memory, lifetimes, buffers, equal);
    const std::int64_t load = largest_load(in_place.items.items);
    if (load <= largest_load(best.items.items)) best = std::move(in_place);
  }
  fit_layout(capacity, limit, best);
  if (best.placement.arena_bytes <= capacity) return best;
  fit_layout(capacity, limit, other);
  return other.placement.arena_bytes <= capacity ? other : best;
}

void take_offsets(const Layout& layout, std::vector<Buffer>& buffers) {
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const int item = layout.items.of_buffer[b];
    if (item < 0) continue;
    buffers[b].offset = layout.placement.offsets[item];
    if (buffers[b].second_offset) buffers[b].second_offset = layout.placement.offsets[item + 1];
  }
}

// A part lies where its whole does.
void set_parts(const Problem& problem, std::vector<Buffer>& buffers) {
  const auto& root_offset = problem.segments.root_offset;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].within == no_buffer) continue;
    const Buffer& whole = buffers[outermost(buffers, static_cast<BufferId>(b))];
    buffers[b].offset = whole.offset + root_offset[buffers[b].tensor] - root_offset[whole.tensor];
  }
}

}  // namespace

Events events_of(const std::vector<double>& start_seconds, const std::vector<double>& seconds) {
  using Running = std::pair<double, int>;  // end, action
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  Events events{std::vector<int>(seconds.size()), std::vector<int>(seconds.size()), 0};
  const auto end_first = [&] {
    events.end[running.top().second] = events.count++;
    running.pop();
  };
  for (std::size_t a = 0; a < seconds.size(); ++a) {
    while (!running.empty() && running.top().first <= start_seconds[a]) end_first();
    events.start[a] = events.count++;
    running.emplace(start_seconds[a] + seconds[a], static_cast<int>(a));
  }
  while (!running.empty()) end_first();
  return events;
}

Lifetimes lifetimes_of(const Problem& problem, const std::vector<Buffer>& buffers,
                       const std::vector<Action>& actions, const std::vector<BufferId>& kept,
                       const Simulation& simulation) {
  Lifetimes lifetimes;
  lifetimes.events = events_of(simulation.start_seconds, simulation.seconds);
  const int last = lifetimes.events.count;
  lifetimes.begin.assign(buffers.size(), last);
  lifetimes.end.assign(buffers.size(), 0);
  lifetimes.outermost.assign(buffers.size(), true);
  lifetimes.alone.assign(buffers.size(), true);
  lifetimes.stays.assign(buffers.size(), false);
  for (std::size_t a = 0; a < actions.size(); ++a)
    include(buffers, actions[a], lifetimes.events.start[a], lifetimes.events.end[a], lifetimes);
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const BufferId whole = outermost(buffers, static_cast<BufferId>(b));
    extend(problem, buffers[b], whole, lifetimes);
    if (buffers[b].within == no_buffer) continue;
    lifetimes.outermost[b] = lifetimes.alone[b] = lifetimes.alone[whole] = false;
  }
  for (const BufferId buffer : kept) lifetimes.stays[outermost(buffers, buffer)] = true;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (lifetimes.stays[b]) lifetimes.end[b] = last;
  }
  return lifetimes;
}

std::vector<BufferId> by_begin(const Lifetimes& lifetimes) {
  std::vector<BufferId> order;
  for (std::size_t b = 0; b < lifetimes.begin.size(); ++b) {
    if (lifetimes.outermost[b]) order.push_back(static_cast<BufferId>(b));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](BufferId a, BufferId b) { return lifetimes.begin[a] < lifetimes.begin[b]; });
  return order;
}

std::vector<std::int64_t> set_offsets(const Problem& problem, const Lifetimes& lifetimes,
                                      const std::vector<Action>& actions,
                                      std::vector<Buffer>& buffers, double effort) {
  const Overwrites over = find_overwrites(problem, lifetimes, actions, buffers);
  std::vector<std::int64_t> arenas;
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) {
    const auto memory = static_cast<MemoryId>(m);
    const Layout best = best_layout(problem, memory, lifetimes, buffers, over, effort);
    take_offsets(best, buffers);
    arenas.push_back(best.placement.arena_bytes);
  }
  set_parts(problem, buffers);
  return arenas;
}

}  // namespace stint
