// Copies between memories and loads of inputs: what every backend whose memories are this machine's
// does alike. Storage is real, and takes what it takes; between memories a copy may be made to last
// until a predicted end, where a link is not this machine's.
#pragma once

#include <map>
#include <memory>

#include "executor/arenas.hpp"
#include "executor/backend.hpp"
#include "executor/tensor_values.hpp"

namespace stint {

class Moves {
 public:
  // All must outlive the jobs.
  Moves(const Schedule& schedule, Arenas& arenas, const TensorValues& values)
      : schedule_(schedule), arenas_(arenas), values_(values) {}

  // The job ends no sooner than `seconds` after its begin.
  std::unique_ptr<Job> copy(const Action& action, const Operands& operands, double seconds);
  std::unique_ptr<Job> load(const Action& action, const Operands& operands, double seconds);

 private:
  const Schedule& schedule_;
  Arenas& arenas_;
  const TensorValues& values_;
  std::map<WorkerId, StorageFile::Bounce> bounces_;  // of the threads that use storage
};

}  // namespace stint
