#include "planner/addresses/skyline.hpp"

#include <algorithm>
#include <utility>

namespace stint {

void SectionRange::include(const SectionRange& other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

Skyline::Skyline(std::vector<Span> spans, int sections, std::int64_t capacity)
    : spans_(std::move(spans)),
      capacity_(capacity),
      floor_(sections, 0),
      top_(sections, 0),
      left_(sections, 0),
      topmost_(sections, -1),
      open_(sections, 0),
      placed_(spans_.size(), 0),
      offset_(spans_.size(), 0),
      beginning_(lists(false)),
      living_(lists(true)),
      least_(sections),
      together_(sections) {
  for (const Span& span : spans_) {
    for (int s = span.first; s <= span.last; ++s) left_[s] += span.bytes, ++open_[s];
  }
}

Skyline::Lists Skyline::lists(bool whole_lives) const {
  const auto end_of = [&](const Span& span) { return whole_lives ? span.last : span.first; };
  Lists all;
  all.first.assign(floor_.size() + 1, 0);
  for (const Span& span : spans_) {
    for (int s = span.first; s <= end_of(span); ++s) ++all.first[s + 1];
  }
  for (std::size_t s = 1; s < all.first.size(); ++s) all.first[s] += all.first[s - 1];
  all.items.resize(all.first.back());
  std::vector<int> next = all.first;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    for (int s = spans_[i].first; s <= end_of(spans_[i]); ++s)
      all.items[next[s]++] = static_cast<int>(i);
  }
  return all;
}

void Skyline::place(int item, std::int64_t offset) {
  const Span& span = spans_[item];
  placed_[item] = 1;
  offset_[item] = offset;
  log_.push_back({Change::Kind::placed, item, 0});
  for (int s = span.first; s <= span.last; ++s) {
    left_[s] -= span.bytes;
    --open_[s];
    log_.push_back({Change::Kind::topmost, s, topmost_[s]});
    topmost_[s] = item;
    log_.push_back({Change::Kind::top, s, top_[s]});
    top_[s] = offset + span.bytes;
    raise(s, top_[s]);
  }
}

void Skyline::raise(int section, std::int64_t floor) {
  log_.push_back({Change::Kind::floor, section, floor_[section]});
  floor_[section] = floor;
}

void Skyline::undo(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const auto& [kind, at, before] = log_.back();
    if (kind == Change::Kind::floor) floor_[at] = before;
    if (kind == Change::Kind::top) top_[at] = before;
    if (kind == Change::Kind::topmost) topmost_[at] = static_cast<int>(before);
    if (kind != Change::Kind::placed) continue;
    placed_[at] = 0;
    const Span& span = spans_[at];
    for (int s = span.first; s <= span.last; ++s) left_[s] += span.bytes, ++open_[s];
  }
}

std::int64_t Skyline::lowest(int item) const {
  const Span& span = spans_[item];
  return *std::max_element(floor_.begin() + span.first, floor_.begin() + span.last + 1);
}

bool Skyline::fits_below(int item) const {
  const Span& span = spans_[item];
  std::int64_t base = 0;
  std::int64_t others = INT64_MAX;  // above this lie all others that are still to be placed
  for (int s = span.first; s <= span.last; ++s) {
    base = std::max(base, top_[s]);
    if (open_[s] > 1) others = std::min(others, floor_[s]);
  }
  return base < lowest(item) && base + span.bytes <= others;
}

bool Skyline::raise_floors(const SectionRange& range, SectionRange& changed) {
  for (int s = range.first; s <= range.last; ++s) least_[s] = INT64_MAX, together_[s] = {s, s};
  for (int s = range.first; s <= range.last; ++s) {
    for (const int item : beginning(s)) {
      if (is_placed(item)) continue;
      const std::int64_t at = lowest(item);
      for (int t = s; t <= spans_[item].last; ++t) {
        least_[t] = std::min(least_[t], at);
        together_[t].include(this->range(item));
      }
    }
  }
  bool raised = false;
  for (int s = range.first; s <= range.last; ++s) {
    if (open_[s] == 0 || least_[s] <= floor_[s]) continue;
    raise(s, least_[s]);
    changed.include(together_[s]);
    raised = true;
  }
  return raised;
}

int Skyline::settle(const SectionRange& range, SectionRange& changed) {
  while (raise_floors(range, changed)) {
  }
  for (int s = range.first; s <= range.last; ++s) {
    if (open_[s] > 0 && slack(s) < 0) return s;
  }
  return -1;
}

}  // namespace stint
