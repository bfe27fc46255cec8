// PipeDream's partition: layers in a row, to stages in a row, each of them on one or several equal
// workers (replicas), so that the slowest stage or message takes the least time. A micro-batch goes
// to one replica of each stage; replicas exchange the gradients of their weights.
//
// With t, a, w the seconds, output bytes and weight bytes of layers, B bytes per second, M workers:
//   A(j, k) = min over i < j, r < k of max(A(i, k−r), 2 a_i / B, T(i+1 … j, r)), A(j, k) = T(0 … j,
//   k)
// where the paper has T(i … j, r) = max(Σt, 2 (r−1) Σw / B) / r, and the code that was released
// (Σt + 4 (r−1) Σw / (B r)) / r. Either may have a limit on memory:
// a stage holds as many versions as there are workers from it on, divided by its replicas, rounded
// up, of its weights and outputs. Exact; O(L² M²). (Narayanan et al., SOSP 2019.)
#pragma once

#include <optional>
#include <vector>

namespace stint {

enum class PipeDreamForm { paper, code };

struct PipeDreamProblem {
  std::vector<double> seconds;       // t, by layer
  std::vector<double> output_bytes;  // a
  std::vector<double> weight_bytes;  // w
  double bytes_per_second = 1;       // B
  int workers = 1;                   // M
  PipeDreamForm form = PipeDreamForm::paper;
  bool replicates = true;  // exactly M workers; else up to M stages of one worker each
  std::optional<double> memory_bytes;
};

struct PipeDreamPartition {
  double seconds = 0;         // of the slowest stage or message
  std::vector<int> ends;      // by stage, its last layer
  std::vector<int> replicas;  // by stage
};

// Among equal ones the fewest stages, then the lexicographically smallest ends, then the smallest
// replicas; costs that differ by rounding only are equal. Nothing if memory suffices for none.
std::optional<PipeDreamPartition> pipedream_partition(const PipeDreamProblem& problem);

}  // namespace stint
