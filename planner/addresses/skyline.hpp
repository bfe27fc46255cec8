// What a search for offsets knows while it places items from the bottom up: in every section, how
// high the placed items reach, and below which offset nothing more can lie.
//
// `floor` is at least `top`; between the two lie bytes that are given up. Everything can be undone.
// Cost of placing: the item's sections; of settling: the sections of all items in the range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/addresses/spans.hpp"

namespace stint {

// Sections from `first` to `last`, inclusive; empty if they cross.
struct SectionRange {
  int first = INT32_MAX;
  int last = -1;

  bool operator==(const SectionRange&) const = default;
  bool is_empty() const { return first > last; }
  bool meets(const SectionRange& other) const { return first <= other.last && other.first <= last; }
  bool is_within(const SectionRange& other) const {
    return first >= other.first && last <= other.last;
  }
  void include(const SectionRange& other);
};

class Skyline {
 public:
  // Items are told apart by their places in `spans`. Needs a load of at most the capacity.
  Skyline(std::vector<Span> spans, int sections, std::int64_t capacity);

  const std::vector<Span>& spans() const { return spans_; }
  int sections() const { return static_cast<int>(floor_.size()); }
  const Span& span(int item) const { return spans_[item]; }
  SectionRange range(int item) const { return {spans_[item].first, spans_[item].last}; }
  std::int64_t floor(int section) const { return floor_[section]; }
  std::int64_t top(int section) const { return top_[section]; }
  int topmost(int section) const { return topmost_[section]; }  // the item placed last, or -1
  int open(int section) const { return open_[section]; }        // items still to be placed
  std::int64_t slack(int section) const {                       // bytes that may still be given up
    return capacity_ - floor_[section] - left_[section];
  }
  bool is_placed(int item) const { return placed_[item] != 0; }
  std::int64_t offset(int item) const { return offset_[item]; }
  std::span<const int> beginning(int section) const { return slice(beginning_, section); }
  std::span<const int> living(int section) const { return slice(living_, section); }

  void place(int item, std::int64_t offset);
  void raise(int section, std::int64_t floor);
  std::size_t mark() const { return log_.size(); }
  void undo(std::size_t mark);

  // The lowest offset that the floors leave for an item.
  std::int64_t lowest(int item) const;
  // Whether an item fits below everything that is still to come, but was kept from there.
  bool fits_below(int item) const;

  // Raises floors to the lowest offset that one of the section's items can have. `changed` grows by
  // what changed and what that followed from. Returns a section in which not everything fits any
  // more, or -1.
  int settle(const SectionRange& range, SectionRange& changed);
  // Where those live that were open in the section when it was last settled.
  const SectionRange& together(int section) const { return together_[section]; }

 private:
  struct Lists {  // of items, by section
    std::vector<int> first;
    std::vector<int> items;
  };
  struct Change {
    enum class Kind : std::uint8_t { floor, top, topmost, placed } kind;
    int at;
    std::int64_t before;
  };
  static std::span<const int> slice(const Lists& lists, int section) {
    return std::span(lists.items)
        .subspan(lists.first[section], lists.first[section + 1] - lists.first[section]);
  }
  Lists lists(bool whole_lives) const;
  bool raise_floors(const SectionRange& range, SectionRange& changed);

  std::vector<Span> spans_;
  std::int64_t capacity_;
  std::vector<std::int64_t> floor_;  // these by section
  std::vector<std::int64_t> top_;
  std::vector<std::int64_t> left_;  // bytes still to be placed
  std::vector<int> topmost_;
  std::vector<int> open_;
  std::vector<char> placed_;  // by item
  std::vector<std::int64_t> offset_;
  Lists beginning_;
  Lists living_;
  std::vector<Change> log_;
  std::vector<std::int64_t> least_;     // while settling: of the lowest offsets
  std::vector<SectionRange> together_;  // by section
};

}  // namespace stint
