// A heterogeneous chain: a training step of n stages, forward and back, in one fast memory and any
// number of slower ones. The common ground of the solvers of this folder; it solves nothing.
//
// Stage i computes x_{i+1} from x_i (forward) and g_i from g_{i+1} (backward, once, last stage
// first). A forward may run again, and may save a tape for its backward. The model of Beaumont,
// Eyraud-Dubois, Herrmann, Joly and Shilova ("Optimal checkpointing for heterogeneous chains: how
// to train deep neural networks with limited memory", ACM TOMS 2024) is the chain whose tapes hold
// the outputs; a chain of plain tasks has tapes beside the outputs, or none. What a computation
// touches is in the fast memory while it runs. Anything may be dropped at any time, for nothing;
// only x_0 cannot be computed again.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

enum class Tape {
  none,
  beside,        // a tensor of its own, saved if the forward is asked to; x_{i+1} is written anyway
  holds_output,  // contains x_{i+1}, in whose place it is written; cannot be taken apart
};

struct ChainStage {
  double forward_cost = 0;
  double backward_cost = 0;
  std::int64_t output_bytes = 0;    // x_{i+1}
  std::int64_t gradient_bytes = 0;  // g_i
  Tape tape = Tape::none;           // if there is one, the backward reads it
  std::int64_t tape_bytes = 0;      // including x_{i+1} where the tape holds it
  std::int64_t forward_workspace_bytes = 0;
  // What a forward that saves no tape needs besides, because it must write it all the same.
  std::int64_t unsaved_workspace_bytes = 0;
  std::int64_t backward_workspace_bytes = 0;
  std::int64_t backward_leaves_bytes = 0;  // what the backward writes for the rest of the step
  bool backward_reads_input = true;        // x_i
  bool backward_reads_output = false;      // x_{i+1}
  bool gradient_in_place = false;          // g_i may be written over g_{i+1}, which is as large
  bool operator==(const ChainStage&) const = default;
};

struct ChainProblem {
  std::int64_t input_bytes = 0;          // x_0, in the fast memory when the step begins
  std::int64_t seed_gradient_bytes = 0;  // g_n, there from the start until the first backward ends
  std::vector<ChainStage> stages;
  // The last stage has a forward, which runs before its backward. If not, that backward reads its
  // input, so that every forward runs.
  bool last_forward = true;
  bool keep_input = false;  // x_0 must be there at the end
  bool operator==(const ChainProblem&) const = default;
};

// A memory beside the fast one, which is memory 0. Copies go between it and the fast memory.
struct SlowMemory {
  std::int64_t bytes = 0;
  double write_cost = 0;  // of a copy
  double write_cost_per_byte = 0;
  double read_cost = 0;
  double read_cost_per_byte = 0;
};

enum class ChainAction { forward, forward_saving, backward, copy, drop };

// One step of a schedule. forward_saving saves the tape; a backward drops g_{i+1} and nothing else.
struct ChainOperation {
  ChainAction action = ChainAction::forward;
  int index = 0;         // the stage; of a copy or drop, i of x_i or of the tape that stage i saved
  bool of_tape = false;  // of a copy or drop
  int memory = 0;        // where a drop happens, where a copy comes from
  int to = 0;            // where a copy goes
  friend bool operator==(const ChainOperation&, const ChainOperation&) = default;
};
using ChainOperations = std::vector<ChainOperation>;

// Throws InputError unless sizes and costs are finite and not negative, their sums stay in range,
// and tapes are as large as what they hold.
void check(const ChainProblem& problem);
void check(const std::vector<SlowMemory>& slow);

// The problem as the solvers like it: arrays, with what follows from the fields worked out.
struct ChainArrays {
  int stages = 0;
  bool keep_input = false;
  std::vector<double> forward, backward;     // costs
  std::vector<std::int64_t> x;               // bytes of x_0 … x_n
  std::vector<std::int64_t> tape;            // bytes; 0 without one
  std::vector<std::int64_t> extra;           // what keeping the tape adds to keeping x_{i+1}
  std::vector<std::int64_t> forward_extra;   // workspace
  std::vector<std::int64_t> unsaved_extra;   // workspace of a forward that saves no tape
  std::vector<std::int64_t> backward_extra;  // what B_i adds while it runs
  std::vector<std::int64_t> gradient;        // while g_d is live: it, and what later stages left
  std::vector<Tape> kind;
  std::vector<char> reads_input, reads_output;  // reads_output: x_{i+1} as a tensor of its own
  std::vector<char> needs_forward;              // F_i must run for B_i
  bool last_output_unread = false;              // see arrays_of

  bool has_tape(int i) const { return kind[i] != Tape::none; }
  // x_i can be read from the tape of the stage before.
  bool tape_gives(int i) const { return i > 0 && kind[i - 1] == Tape::holds_output; }
};

// A last forward that nobody reads becomes one that its backward waits for, with an output of 0
// bytes and its bytes as workspace: the same schedules, costs and peaks.
ChainArrays arrays_of(const ChainProblem& problem);

// The cost of a schedule in which every forward runs once; no schedule costs less.
double cost_without_recomputing(const ChainArrays& chain);

double copy_cost_out(const SlowMemory& memory, std::int64_t bytes);
double copy_cost_back(const SlowMemory& memory, std::int64_t bytes);
double cost_of(const ChainArrays& chain, const std::vector<SlowMemory>& slow,
               const ChainOperations& operations);

// Adds every drop to a schedule without drops, as early as possible. A forward reads the instance
// of x_i that was written last.
ChainOperations with_drops(const ChainArrays& chain, const ChainOperations& operations);

// Drops an unread last output as soon as it is written, and not later.
ChainOperations with_last_output_dropped(const ChainArrays& chain,
                                         const ChainOperations& operations);

}  // namespace stint
