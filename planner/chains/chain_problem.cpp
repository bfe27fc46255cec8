#include "planner/chains/chain_problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "files/input_error.hpp"

namespace stint {
namespace {

// Sums of all sizes stay below this, so that no sum that a solver makes can overflow.
constexpr std::int64_t most_stage_bytes = std::numeric_limits<std::int64_t>::max() / 16;

void expect_size(const std::string& where, const char* name, std::int64_t bytes) {
  if (bytes < 0) {
    throw InputError(where, fmt::format("{} is {}; expected 0 or more", name, bytes));
  }
}

void expect_cost(const std::string& where, const char* name, double cost) {
  if (!std::isfinite(cost) || cost < 0) {
    throw InputError(where, fmt::format("{} is {}; expected a number, 0 or more", name, cost));
  }
}

void check_sizes(const std::string& where, const ChainStage& stage) {
  expect_cost(where, "forward_cost", stage.forward_cost);
  expect_cost(where, "backward_cost", stage.backward_cost);
  expect_size(where, "output_bytes", stage.output_bytes);
  expect_size(where, "gradient_bytes", stage.gradient_bytes);
  expect_size(where, "tape_bytes", stage.tape_bytes);
  expect_size(where, "forward_workspace_bytes", stage.forward_workspace_bytes);
  expect_size(where, "unsaved_workspace_bytes", stage.unsaved_workspace_bytes);
  expect_size(where, "backward_workspace_bytes", stage.backward_workspace_bytes);
  expect_size(where, "backward_leaves_bytes", stage.backward_leaves_bytes);
}

void check_tape(const std::string& where, const ChainStage& stage) {
  if (stage.tape == Tape::none && stage.tape_bytes != 0) {
    throw InputError(where, "there is no tape, but tape_bytes; expected 0");
  }
  if (stage.tape == Tape::holds_output && stage.tape_bytes < stage.output_bytes) {
    throw InputError(where, fmt::format("the tape has {} bytes and holds an output of {}; expected "
                                        "a tape that is no smaller",
                                        stage.tape_bytes, stage.output_bytes));
  }
  const std::int64_t held = stage.tape == Tape::holds_output ? stage.output_bytes : 0;
  if (stage.unsaved_workspace_bytes > stage.tape_bytes - held) {
    throw InputError(where,
                     "a forward needs more when it saves no tape; expected at most the tape");
  }
}

void check_last(const ChainProblem& problem) {
  const ChainStage& last = problem.stages.back();
  if (problem.last_forward) return;
  if (last.tape != Tape::none || last.backward_reads_output || last.output_bytes != 0) {
    throw InputError("last stage", "it has no forward, but an output or a tape; expected neither");
  }
  if (!last.backward_reads_input) {
    throw InputError("last stage",
                     "it has no forward, and its backward does not read its input; "
                     "expected one of them, so that every forward runs");
  }
}

std::int64_t bytes_of(const ChainStage& stage) {
  std::int64_t sum = 0;
  for (const std::int64_t bytes :
       {stage.output_bytes, stage.gradient_bytes, stage.tape_bytes, stage.forward_workspace_bytes,
        stage.backward_workspace_bytes, stage.backward_leaves_bytes}) {
    if (bytes > most_stage_bytes - sum) return most_stage_bytes;
    sum += bytes;
  }
  return sum;
}

void check_sum(const ChainProblem& problem) {
  std::int64_t room = most_stage_bytes;
  const auto take = [&](std::int64_t bytes) {
    if (bytes >= room)
      throw InputError("chain", "its bytes add up beyond the range of this planner");
    room -= bytes;
  };
  take(problem.input_bytes);
  take(problem.seed_gradient_bytes);
  for (const ChainStage& stage : problem.stages) take(bytes_of(stage));
}

void check_in_place(const ChainProblem& problem) {
  const auto& stages = problem.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto before =
        i + 1 < stages.size() ? stages[i + 1].gradient_bytes : problem.seed_gradient_bytes;
    if (stages[i].gradient_in_place && stages[i].gradient_bytes > before) {
      throw InputError(fmt::format("stage {}", i),
                       "its gradient is larger than the one it overwrites; expected one that fits");
    }
  }
}

}  // namespace

void check(const ChainProblem& problem) {
  if (problem.stages.empty()) throw InputError("chain", "it has no stages; expected at least one");
  expect_size("chain", "input_bytes", problem.input_bytes);
  expect_size("chain", "seed_gradient_bytes", problem.seed_gradient_bytes);
  for (std::size_t i = 0; i < problem.stages.size(); ++i) {
    const std::string where = fmt::format("stage {}", i);
    check_sizes(where, problem.stages[i]);
    check_tape(where, problem.stages[i]);
  }
  check_last(problem);
  check_in_place(problem);
  check_sum(problem);
}

void check(const std::vector<SlowMemory>& slow) {
  for (std::size_t k = 0; k < slow.size(); ++k) {
    const std::string where = fmt::format("slow memory {}", k + 1);
    expect_size(where, "bytes", slow[k].bytes);
    expect_cost(where, "write_cost", slow[k].write_cost);
    expect_cost(where, "write_cost_per_byte", slow[k].write_cost_per_byte);
    expect_cost(where, "read_cost", slow[k].read_cost);
    expect_cost(where, "read_cost_per_byte", slow[k].read_cost_per_byte);
  }
}

ChainArrays arrays_of(const ChainProblem& problem) {
  check(problem);
  const int n = static_cast<int>(problem.stages.size());
  ChainArrays chain;
  chain.stages = n;
  chain.keep_input = problem.keep_input;
  chain.x.push_back(problem.input_bytes);
  for (const ChainStage& stage : problem.stages) {
    const bool holds = stage.tape == Tape::holds_output;
    chain.forward.push_back(stage.forward_cost);
    chain.backward.push_back(stage.backward_cost);
    chain.x.push_back(stage.output_bytes);
    chain.tape.push_back(stage.tape_bytes);
    chain.extra.push_back(holds ? stage.tape_bytes - stage.output_bytes : stage.tape_bytes);
    chain.forward_extra.push_back(stage.forward_workspace_bytes);
    chain.unsaved_extra.push_back(stage.forward_workspace_bytes + stage.unsaved_workspace_bytes);
    chain.backward_extra.push_back((stage.gradient_in_place ? 0 : stage.gradient_bytes) +
                                   stage.backward_leaves_bytes + stage.backward_workspace_bytes);
    chain.kind.push_back(stage.tape);
    chain.reads_input.push_back(stage.backward_reads_input);
    chain.reads_output.push_back(stage.backward_reads_output && !holds);
    chain.needs_forward.push_back(stage.tape != Tape::none || stage.backward_reads_output);
  }
  chain.gradient.assign(n + 1, problem.seed_gradient_bytes);
  std::int64_t left = 0;
  for (int i = n - 1; i >= 0; --i) {
    left += problem.stages[i].backward_leaves_bytes;
    chain.gradient[i] = problem.stages[i].gradient_bytes + left;
  }
  if (problem.last_forward && !chain.needs_forward[n - 1]) {
    chain.forward_extra[n - 1] += chain.x[n];
    chain.unsaved_extra[n - 1] += chain.x[n];
    chain.x[n] = 0;
    chain.reads_output[n - 1] = chain.needs_forward[n - 1] = true;
    chain.last_output_unread = true;
  }
  return chain;
}

double cost_without_recomputing(const ChainArrays& chain) {
  double sum = 0;
  for (int i = 0; i < chain.stages; ++i) {
    const bool runs = i + 1 < chain.stages || chain.needs_forward[i];
    sum += chain.backward[i] + (runs ? chain.forward[i] : 0);
  }
  return sum;
}

double copy_cost_out(const SlowMemory& memory, std::int64_t bytes) {
  return memory.write_cost + memory.write_cost_per_byte * static_cast<double>(bytes);
}

double copy_cost_back(const SlowMemory& memory, std::int64_t bytes) {
  return memory.read_cost + memory.read_cost_per_byte * static_cast<double>(bytes);
}

double cost_of(const ChainArrays& chain, const std::vector<SlowMemory>& slow,
               const ChainOperations& operations) {
  double sum = 0;
  for (const ChainOperation& op : operations) {
    const auto bytes = [&] { return op.of_tape ? chain.tape[op.index] : chain.x[op.index]; };
    switch (op.action) {
      case ChainAction::forward:
      case ChainAction::forward_saving:
        sum += chain.forward[op.index];
        break;
      case ChainAction::backward:
        sum += chain.backward[op.index];
        break;
      case ChainAction::copy:
        sum += op.to > 0 ? copy_cost_out(slow[op.to - 1], bytes())
                         : copy_cost_back(slow[op.memory - 1], bytes());
        break;
      case ChainAction::drop:
        break;
    }
  }
  return sum;
}

}  // namespace stint
