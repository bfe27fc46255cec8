#include "planner/addresses/fit_search.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace stint {
namespace {

constexpr int nobody = -1;
constexpr std::size_t remembered_states = 1 << 14;

// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

FitSearch::FitSearch(std::vector<Span> spans, int sections, std::int64_t capacity,
                     SectionChoice choice)
    : skyline_(std::move(spans), sections, capacity),
      choice_(choice),
      has_equal_(skyline_.spans().size(), 0),
      weight_(sections, 1),
      failed_(remembered_states, Key{}),
      level_(sections),
      undercut_(sections),
      reach_(sections) {
  std::map<std::tuple<int, int, std::int64_t>, int> same;
  std::map<std::pair<int, int>, int> lives;
  for (const Span& span : skyline_.spans()) ++lives[{span.first, span.last}];
  for (std::size_t i = 0; i < skyline_.spans().size(); ++i) {
    const auto& [bytes, first, last] = skyline_.spans()[i];
    int& before = same.try_emplace({first, last, bytes}, nobody).first->second;
    twin_.push_back(before);
    before = static_cast<int>(i);
    has_equal_[i] = lives[{first, last}] > 1 ? 1 : 0;
  }
}

// The fewest sections in the range that open items connect only to each other.
SectionRange FitSearch::component(const SectionRange& range) const {
  SectionRange fewest;
  SectionRange found;
  for (int s = range.first; s <= range.last; ++s) {
    for (const int item : skyline_.beginning(s)) {
      if (!skyline_.is_placed(item)) found.include(skyline_.range(item));
    }
    if (s != found.last) continue;
    if (fewest.is_empty() || found.last - found.first < fewest.last - fewest.first) fewest = found;
    found = {};
  }
  return fewest;
}

// Of two alike the first lies lower, and of two with the same life one directly above the other.
bool FitSearch::may_lie(int item) const {
  if (twin_[item] != nobody && !skyline_.is_placed(twin_[item])) return false;
  const SectionRange range = skyline_.range(item);
  const int below = skyline_.topmost(range.first);
  if (below == nobody || skyline_.top(range.first) != skyline_.floor(range.first)) return true;
  return skyline_.range(below) != range || below < item;
}

void FitSearch::survey(const SectionRange& component) {
  cost_ = 0;
  for (int s = component.first; s <= component.last; ++s)
    level_[s] = 0, undercut_[s] = 0, reach_[s] = {s, s};
  for (int s = component.first; s <= component.last; ++s) {
    cost_ += skyline_.open(s) + 1;
    for (const int item : skyline_.beginning(s)) {
      if (skyline_.is_placed(item)) continue;
      const SectionRange range = skyline_.range(item);
      std::int64_t least = INT64_MAX;
      std::int64_t most = 0;
      for (int t = s; t <= range.last; ++t) {
        least = std::min(least, skyline_.floor(t));
        most = std::max(most, skyline_.floor(t));
      }
      const bool lies = least == most && may_lie(item);
      for (int t = s; t <= range.last; ++t) {
        reach_[t].include(range);
        if (least < skyline_.floor(t)) undercut_[t] = 1;
        if (lies) ++level_[t];
      }
    }
  }
}

int FitSearch::choose(const SectionRange& component) {
  survey(component);
  int best = -1;
  std::array<double, 3> least{};
  for (int s = component.first; s <= component.last; ++s) {
    if (undercut_[s] != 0) continue;
    const auto floor = static_cast<double>(skyline_.floor(s));
    const auto slack = static_cast<double>(skyline_.slack(s));
    const double ways = level_[s] + (slack > 0 ? 1 : 0);
    const double height = ways > 1 ? floor : -1;  // what is forced comes first
    const auto order = choice_ == SectionChoice::lowest
                           ? std::array{height, ways / weight_[s], slack}
                           : std::array{ways, slack, floor};
    if (best < 0 || order < least) best = s, least = order;
  }
  return best;
}

// If nobody lies on the floor of the section, whoever lies lowest in it lies on top of something
// that does not live there: on a higher floor, or on an item still to be placed.
std::int64_t FitSearch::raised_floor(Node& node) {
  std::int64_t least = INT64_MAX;
  SectionRange level;  // of those that could lie on the floor
  for (const int item : skyline_.living(node.section)) {
    if (skyline_.is_placed(item)) continue;
    const std::int64_t lowest = skyline_.lowest(item);
    if (lowest > node.offset) least = std::min(least, lowest);
    if (lowest == node.offset) level.include(skyline_.range(item));
  }
  for (int s = node.component.first; s <= level.last; ++s) {
    for (const int item : skyline_.beginning(s)) {
      const SectionRange range = skyline_.range(item);
      const bool lives_here = range.meets({node.section, node.section});
      if (skyline_.is_placed(item) || lives_here || !range.meets(level)) continue;
      least = std::min(least, skyline_.lowest(item) + skyline_.span(item).bytes);
      node.because.include(range);
    }
  }
  return least;
}

void FitSearch::add_ways(Node& node) {
  for (const int item : skyline_.living(node.section)) {
    if (skyline_.is_placed(item) || skyline_.lowest(item) != node.offset) continue;
    if (may_lie(item)) node.ways.push_back(item);
  }
  if (skyline_.slack(node.section) <= 0) return;
  node.raised = raised_floor(node);
  if (node.raised != INT64_MAX) node.ways.push_back(nobody);
}

bool FitSearch::enter(const SectionRange& component) {
  const Key key = this->key(component);
  if (remembered(key) == key) return backtrack(component);
  Node node;
  node.component = component;
  node.key = key;
  node.section = choose(component);
  node.offset = skyline_.floor(node.section);
  node.because = reach_[node.section];
  node.mark = skyline_.mark();
  node.cost = cost_;
  add_ways(node);
  nodes_.push_back(std::move(node));
  if (take_next(nodes_.back())) return true;
  nodes_.back().changed = nodes_.back().because;  // all ways failed: there is nothing to skip
  return backtrack(nodes_.back().because);
}

bool FitSearch::take(Node& node, int way) {
  work_ += node.cost;
  if (way == nobody) {
    node.changed = {node.section, node.section};
    skyline_.raise(node.section, node.raised);
    for (const int item : skyline_.living(node.section)) {
      if (!skyline_.is_placed(item) && skyline_.fits_below(item)) return false;
    }
  } else {
    node.changed = skyline_.range(way);
    skyline_.place(way, node.offset);
  }
  const int failed = skyline_.settle(node.component, node.changed);
  if (failed < 0) return true;
  ++weight_[failed];
  node.because.include(skyline_.together(failed));
  return false;
}

bool FitSearch::take_next(Node& node) {
  while (node.next < node.ways.size()) {
    if (take(node, node.ways[node.next++])) return true;
    node.because.include(node.changed);
    skyline_.undo(node.mark);
  }
  return false;
}

// To the last decision that has a part in the failure, and another way. What lies between need not
// be looked at again: the failure would be the same.
bool FitSearch::backtrack(SectionRange failed) {
  for (; !nodes_.empty(); nodes_.pop_back()) {
    Node& node = nodes_.back();
    skyline_.undo(node.mark);
    if (failed.meets(node.changed)) {
      node.because.include(failed);
      node.because.include(node.changed);
      if (take_next(node)) return true;
      failed = node.because;
    }
    if (failed.is_within(node.component)) remembered(node.key) = node.key;
  }
  return false;
}

// Of everything that decides what becomes of a component.
FitSearch::Key FitSearch::key(const SectionRange& component) const {
  Key key{0x5851f42d4c957f2dU, 0x14057b7ef767814fU};
  const auto add = [&](std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    key[0] = mixed(key[0] ^ bits);
    key[1] = mixed(key[1] + bits * 0x9e3779b97f4a7c15U + 1);
  };
  add(component.first);
  for (int s = component.first; s <= component.last; ++s) {
    add(skyline_.floor(s));
    add(skyline_.top(s));
    const int topmost = skyline_.topmost(s);
    add(topmost != nobody && has_equal_[topmost] != 0 ? topmost : nobody);
    for (const int item : skyline_.beginning(s)) {
      if (!skyline_.is_placed(item)) add(-2 - item);
    }
  }
  return key;
}

FitStatus FitSearch::run(std::int64_t most_nodes, std::int64_t& work) {
  const SectionRange everything{0, skyline_.sections() - 1};
  skyline_.undo(0);
  nodes_.clear();
  work_ = 0;
  FitStatus status = FitStatus::unknown;
  for (std::int64_t n = 0; n < most_nodes && work_ < work; ++n) {
    SectionRange next = component(nodes_.empty() ? everything : nodes_.back().component);
    if (next.is_empty()) next = component(everything);
    if (next.is_empty()) status = FitStatus::fits;
    if (!next.is_empty() && !enter(next)) status = FitStatus::impossible;
    if (status != FitStatus::unknown) break;
  }
  work -= work_;
  return status;
}

}  // namespace stint
