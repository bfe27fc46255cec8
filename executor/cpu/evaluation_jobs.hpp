// A training step that judges the network instead of training it, by the same plan: batch norm uses
// its running averages in place of what it finds in the batch, dropout drops nothing, gradients and
// updates are left out, and predictions are compared with labels, for as many samples as count.
// Every sample is so judged by itself, whatever else is in its batch.
//
// While a step trains, its jobs do what they did without this.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "executor/arenas.hpp"
#include "executor/backend.hpp"
#include "models/training/lower_network.hpp"

namespace stint {

class EvaluationJobs {
 public:
  // All must outlive the jobs.
  EvaluationJobs(const Schedule& schedule, const LoweredNetwork& lowered, const Arenas& arenas);

  // The job of a task, as it is in both kinds of steps.
  std::unique_ptr<Job> in_both(std::unique_ptr<Job> job, const Action& action,
                               const Operands& operands);

  // Between steps: this one judges, by so many of its first samples.
  void begin(std::int64_t step, std::int64_t samples);
  LabelScore score() const;  // of the step that began last

 private:
  // Running averages, and the statistics that they stand for, as a step finds them.
  struct Averages {
    std::vector<Place> state;      // mean, then variance
    std::vector<std::byte> bytes;  // both, one behind the other
  };
  void note_averages(TaskId running);

  const Schedule& schedule_;
  const LoweredNetwork& lowered_;
  const Arenas& arenas_;
  std::int64_t samples_ = 0;                         // that count in this step; 0: it trains
  std::map<TensorId, Averages> averages_;            // by statistics
  std::map<TaskId, std::deque<LabelScore>> scores_;  // of every task of the loss, by execution
};

}  // namespace stint
