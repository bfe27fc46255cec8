// What the stages of a pipeline compute again, chosen by the solver of chains. The tasks of one
// micro-batch in a stage, alone, are a training step of their own: what comes from the stages
// beside it are its inputs. Where that step is a chain of layers or blocks (chains/recognise.hpp),
// the best persistent schedule of it (chains/persistent.hpp) in less and less memory says what its
// forward keeps for its backward; all micro-batches do alike. What is dropped is computed once more
// when the backward comes to it, and then stays until it is used up.
//
// The solver counts one micro-batch that goes forward and straight back, and may plan to compute
// things more than twice; how many micro-batches wait, and what the plan takes, is for the replay
// to say. No chain (cut layers, parts of tensors, branches throughout): nothing is said.
//
// Cost: a table for every stage and amount of memory that is asked for, O(layers³ · 200), kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "planner/pipelines/pipeline_tasks.hpp"

namespace stint {

// Outputs of forward tasks: the layer, and the place among what it writes.
using StageOutputs = std::set<std::pair<int, int>>;

class StageChains {
 public:
  StageChains(const PlacedGraph& graph, const PipelineTasks& tasks);
  ~StageChains();

  // What the layers [begin, end) on the device drop, if they get `level` / `levels` of the way from
  // the memory in which they keep everything to the least in which they can run. Null if they are
  // no chain, or if that takes too long to say.
  const StageOutputs* dropped(int begin, int end, DeviceId device, int level, int levels);

 private:
  struct Stage;
  std::unique_ptr<Stage> make_stage(int begin, int end, DeviceId device) const;

  const PlacedGraph& graph_;
  const PipelineTasks& tasks_;
  std::map<std::tuple<int, int, int>, std::unique_ptr<Stage>> stages_;
};

}  // namespace stint
