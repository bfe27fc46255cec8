// How far the strips of a table are solved (persistent_fill.hpp), so that threads can follow each
// other. Strips must be begun in order: then the first that is not solved waits for none, and all
// come to an end.
#pragma once

#include <atomic>
#include <vector>

namespace stint {

class StripProgress {
 public:
  StripProgress(int strips, int blocks) : blocks_(blocks), solved_(strips) {}

  int blocks() const { return blocks_; }  // of every strip

  void wait_for(int strip, int blocks) const {
    for (int now = solved_[strip].load(); now < blocks; now = solved_[strip].load()) {
      solved_[strip].wait(now);
    }
  }

  void set(int strip, int blocks) {
    solved_[strip].store(blocks);
    solved_[strip].notify_all();
  }

 private:
  int blocks_ = 0;
  std::vector<std::atomic<int>> solved_;
};

// A strip that fails counts as solved, so that nobody waits for it; its exception comes after.
struct SolvedAtTheEnd {
  ~SolvedAtTheEnd() { progress.set(strip, progress.blocks()); }

  StripProgress& progress;
  int strip = 0;
};

}  // namespace stint
