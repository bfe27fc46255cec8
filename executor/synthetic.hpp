// The synthetic backend: executes tasks that have only costs, so that any plan can be replayed. A
// task burns the seconds that the plan predicts, and really reads and writes its buffers: what it
// writes follows from its name and from every byte that it reads, so that a wrong address, a lost
// update, a stale version or a wrong order changes the results.
//
// Copies move bytes and then sleep until their predicted end: a link is not this machine's
// processor. Storage is real, and takes what it takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executor/arenas.hpp"
#include "executor/backend.hpp"
#include "executor/moves.hpp"
#include "executor/spin.hpp"

namespace stint {

// Takes its predicted time, or none beyond what the bytes take.
enum class Pace { predicted, none };

class SyntheticBackend : public Backend {
 public:
  // All must outlive the jobs.
  SyntheticBackend(const Schedule& schedule, Arenas& arenas, const TensorValues& values, Pace pace);

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override;
  std::unique_ptr<Job> copy(const Action& action, const Operands& operands,
                            double seconds) override;
  std::unique_ptr<Job> load(const Action& action, const Operands& operands,
                            double seconds) override;
  std::uint64_t step_digest() const override;

 private:
  double paced(double seconds) const { return pace_ == Pace::predicted ? seconds : 0; }

  const Schedule& schedule_;
  Arenas& arenas_;
  Moves moves_;
  Pace pace_;
  std::optional<Spin> spin_;
  // By task: where its executions leave the digest of what they read. A task whose executions in
  // one step differ shows by a digest of its own.
  std::vector<std::vector<const std::uint64_t*>> digests_;
};

}  // namespace stint
