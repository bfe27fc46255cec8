// Whether all items fit into a memory, by branch and bound, for one order of preference among them.
//
// Items are placed from the bottom up. In a section whose floor is nowhere undercut by the items
// that live in it, the next item either lies exactly on the floor, and then the floor is level
// under all of it; or nobody lies there, and the floor rises to the lowest offset that is left for
// one of them. Where the section has no bytes to give up, the second cannot be. Branching over one
// section at a time, that with the fewest ways first, is what makes this quick where memory is
// tight; Moffitt's MiniMalloc (ASPLOS 2023), from which the canonical order of offsets and the
// bounds by sections come, branches over all items instead.
//
// Only packings are looked for in which no item could lie lower, and two of equal lives on top of
// each other stand in the order of preference: of all packings the one with the least sum of
// offsets, weighted by bytes over rank, is such a one. A failure is told with the sections that it
// follows from, and decisions elsewhere are skipped on the way back; so parts of the time that no
// item connects do not multiply. States that failed are remembered by a hash of 128 bits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/addresses/skyline.hpp"

namespace stint {

enum class FitStatus { fits, impossible, unknown };

// Which section is branched over first.
enum class SectionChoice { lowest, fewest_ways };

class FitSearch {
 public:
  // `spans` in the order of preference; their load is at most the capacity.
  FitSearch(std::vector<Span> spans, int sections, std::int64_t capacity, SectionChoice choice);

  // Starts over, with what was learned before. `work` is taken off by what is looked at.
  FitStatus run(std::int64_t most_nodes, std::int64_t& work);

  std::int64_t offset(int item) const { return skyline_.offset(item); }

 private:
  using Key = std::array<std::uint64_t, 2>;
  struct Node {
    SectionRange component;  // of sections that open items connect
    int section = 0;
    std::int64_t offset = 0;  // its floor
    std::int64_t raised = 0;  // its floor if nobody lies there
    std::vector<int> ways;    // items to lie there, or nobody
    std::size_t next = 0;
    SectionRange because;  // what the failures so far follow from
    SectionRange changed;  // by the present way
    std::size_t mark = 0;
    std::int64_t cost = 0;  // of taking a way: items in all sections
    Key key{};
  };

  SectionRange component(const SectionRange& range) const;
  bool may_lie(int item) const;
  void survey(const SectionRange& component);
  int choose(const SectionRange& component);
  void add_ways(Node& node);
  std::int64_t raised_floor(Node& node);
  bool enter(const SectionRange& component);
  bool take(Node& node, int way);
  bool take_next(Node& node);
  bool backtrack(SectionRange failed);
  Key key(const SectionRange& component) const;
  Key& remembered(const Key& key) { return failed_[key[0] % failed_.size()]; }

  Skyline skyline_;
  SectionChoice choice_;
  std::vector<int> twin_;        // by item: the one before it with the same life and bytes, or -1
  std::vector<char> has_equal_;  // by item: another has the same life
  std::vector<double> weight_;   // by section: how often it failed
  std::vector<Key> failed_;
  std::vector<Node> nodes_;
  // By section, of the survey.
  std::vector<int> level_;           // items that may lie on the floor
  std::vector<char> undercut_;       // an item that lives there also does where the floor is lower
  std::vector<SectionRange> reach_;  // of the items that live there
  std::int64_t cost_ = 0;            // of the survey
  std::int64_t work_ = 0;
};

}  // namespace stint
