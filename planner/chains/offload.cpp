#include "planner/chains/offload.hpp"

#include <algorithm>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/persistent_trace.hpp"

namespace stint {
namespace {

class Offloader {
 public:
  Offloader(const ChainArrays& chain, std::int64_t fast_bytes, const std::vector<SlowMemory>& slow,
            const PersistentOptions& options)
      : chain_(chain),
        fast_bytes_(fast_bytes),
        slow_(slow),
        options_(options),
        unit_bytes_(persistent_unit(chain, fast_bytes, options)),
        charged_(slow.size()) {}

  // Keeps the schedule if it is the best that fits. Gives whether the slow memories could hold it.
  bool try_price(double per_byte, OffloadPlan& best) {
    const PersistentMoves moves(chain_, fast_bytes_, unit_bytes_, Rounding::safe, priced(per_byte));
    const Reversal reversal = best_reversal(moves, options_.table_bytes, options_.threads);
    if (!reversal.feasible) return true;
    const ChainOperations operations = with_drops(chain_, reversal.operations);
    if (!fits(operations)) return false;
    const double value = cost_of(chain_, slow_, operations);
    if (!best.feasible || value < best.value) best = {true, value, operations};
    return true;
  }

 private:
  std::vector<SlowMemory> priced(double per_byte) const {
    std::vector<SlowMemory> memories = slow_;
    for (std::size_t k = 0; k < memories.size(); ++k) {
      if (charged_[k]) memories[k].write_cost_per_byte += per_byte;
    }
    return memories;
  }

  bool fits(const ChainOperations& operations) {
    const auto peaks = peak_bytes(chain_, static_cast<int>(slow_.size()) + 1, operations);
    bool all = true;
    for (std::size_t k = 0; k < slow_.size(); ++k) {
      if (peaks[k + 1] <= slow_[k].bytes) continue;
      charged_[k] = true;
      all = false;
    }
    return all;
  }

  const ChainArrays& chain_;
  std::int64_t fast_bytes_;
  const std::vector<SlowMemory>& slow_;
  const PersistentOptions& options_;
  std::int64_t unit_bytes_;
  std::vector<char> charged_;  // memories that were too small once
};

// About the cost of computing a byte again.
double price_of_a_byte(const ChainArrays& chain) {
  double cost = 1e-300;
  double bytes = 1;
  for (int i = 0; i < chain.stages; ++i) {
    cost += chain.forward[i];
    bytes += static_cast<double>(chain.x[i] + chain.extra[i]);
  }
  return cost / bytes;
}

}  // namespace

OffloadPlan solve_offload(const ChainProblem& problem, std::int64_t fast_bytes,
                          const std::vector<SlowMemory>& slow, const OffloadOptions& options) {
  check(slow);
  const PersistentPlan plain = solve_persistent(problem, fast_bytes, options.table);
  OffloadPlan best{plain.feasible, plain.value, plain.operations};
  const ChainArrays chain = arrays_of(problem);
  const bool nothing_to_gain = plain.feasible && plain.value == cost_without_recomputing(chain);
  if (slow.empty() || nothing_to_gain || fast_bytes < largest_operation_bytes(chain)) return best;

  Offloader offloader(chain, fast_bytes, slow, options.table);
  if (offloader.try_price(0, best)) return best;
  double too_low = 0;
  double price = price_of_a_byte(chain);
  double enough = 0;  // 0: not known
  for (int tried = 0; tried < options.prices; ++tried) {
    (offloader.try_price(price, best) ? enough : too_low) = price;
    price = enough == 0 ? price * 4 : (too_low + enough) / 2;
  }
  return best;
}

}  // namespace stint
