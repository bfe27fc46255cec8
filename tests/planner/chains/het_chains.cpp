#include "tests/planner/chains/het_chains.hpp"

namespace stint {

int pick(Random& random, int from, int to) {
  return from + static_cast<int>(random() % static_cast<std::uint64_t>(to - from + 1));
}

ChainProblem random_chain(Random& random, int stages, int largest) {
  ChainProblem problem;
  problem.input_bytes = pick(random, 0, largest);
  problem.keep_input = pick(random, 0, 3) == 0;
  problem.last_forward = pick(random, 0, 1) == 0;
  for (int i = 0; i < stages; ++i) {
    ChainStage stage;
    stage.forward_cost = pick(random, 0, largest);
    stage.backward_cost = pick(random, 0, largest);
    stage.output_bytes = pick(random, 0, largest);
    stage.gradient_bytes = pick(random, 0, 1) * pick(random, 0, largest);
    stage.forward_workspace_bytes = pick(random, 0, 2) / 2 * pick(random, 0, largest);
    stage.backward_workspace_bytes = pick(random, 0, 2) / 2 * pick(random, 0, largest);
    stage.backward_leaves_bytes = pick(random, 0, 3) / 3 * pick(random, 0, 2);
    stage.backward_reads_input = pick(random, 0, 3) > 0;
    stage.backward_reads_output = pick(random, 0, 3) == 0;
    stage.tape = static_cast<Tape>(pick(random, 0, 2));
    const bool is_last = i + 1 == stages;
    if (is_last && !problem.last_forward) {
      stage.tape = Tape::none;
      stage.output_bytes = 0;
      stage.backward_reads_input = true;
      stage.backward_reads_output = false;
    }
    if (stage.tape != Tape::none) stage.tape_bytes = pick(random, 0, largest);
    if (pick(random, 0, 2) == 0) stage.unsaved_workspace_bytes = stage.tape_bytes;
    if (stage.tape == Tape::holds_output) stage.tape_bytes += stage.output_bytes;
    problem.stages.push_back(stage);
  }
  for (int i = 0; i + 1 < stages; ++i) {
    const bool fits = problem.stages[i].gradient_bytes <= problem.stages[i + 1].gradient_bytes;
    problem.stages[i].gradient_in_place = fits && pick(random, 0, 2) == 0;
  }
  return problem;
}

SlowMemory random_memory(Random& random, int largest) {
  const auto cost = [&] { return static_cast<double>(pick(random, 0, 2)); };
  return {pick(random, 0, 3 * largest), cost(), cost() / 2, cost(), cost() / 2};
}

ChainProblem random_rotor_chain(Random& random, int stages, int largest) {
  ChainProblem problem;
  problem.input_bytes = pick(random, 1, largest);
  std::int64_t before = problem.input_bytes;
  for (int i = 0; i < stages; ++i) {
    const bool is_loss = i + 1 == stages;
    ChainStage stage;
    stage.tape = Tape::holds_output;
    stage.forward_cost = is_loss ? 0 : pick(random, 1, largest);
    stage.backward_cost = pick(random, 1, 2 * largest);
    stage.output_bytes = is_loss ? 0 : pick(random, 1, largest);
    stage.tape_bytes = is_loss ? 0 : stage.output_bytes + pick(random, 0, 3 * largest);
    stage.gradient_bytes = before;
    stage.forward_workspace_bytes = pick(random, 0, largest / 2);
    stage.backward_workspace_bytes = pick(random, 0, largest / 2);
    before = stage.output_bytes;
    problem.stages.push_back(stage);
  }
  return problem;
}

ChainProblem course_chain(int forwards) {
  ChainProblem problem;
  problem.input_bytes = 1;
  problem.last_forward = false;
  ChainStage stage;
  stage.forward_cost = stage.backward_cost = 1;
  stage.output_bytes = 1;
  problem.stages.assign(forwards, stage);
  stage.forward_cost = 0;
  stage.output_bytes = 0;
  problem.stages.push_back(stage);
  return problem;
}

}  // namespace stint
