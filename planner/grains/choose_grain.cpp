#include "planner/grains/choose_grain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "planner/grains/granularity.hpp"
#include "planner/grains/layer_costs.hpp"
#include "planner/grains/pricing.hpp"
#include "planner/grains/runs.hpp"
#include "planner/grains/split.hpp"
#include "planner/keep_all.hpp"
#include "schedules/cache_traffic.hpp"

namespace stint {
namespace {

constexpr std::size_t most_layers_one_by_one = 64;
constexpr std::size_t most_layers_in_pairs = 6;
constexpr double end_shares[] = {0, 0.25, 0.5, 0.75};
constexpr std::int64_t most_tasks_of_a_candidate = 8'000;
constexpr int most_grains_finished = 4;

// One entry a worker, as fast as its device is with the whole graph.
std::vector<SplitWorker> split_workers(const Problem& whole) {
  std::vector<SplitWorker> all;
  for (std::size_t d = 0; d < whole.seconds.size(); ++d) {
    double seconds = 0;
    for (const double task : whole.seconds[d]) seconds += task;
    if (!std::isfinite(seconds)) continue;
    const SplitWorker worker{.item_seconds = seconds, .most_items = whole.request().leaves};
    all.insert(all.end(), whole.platform().devices[d].workers, worker);
  }
  return all;
}

class GrainSearch {
 public:
  GrainSearch(const Network& network, const Platform& platform, const Request& request,
              const std::string& model_file)
      : network_(network),
        platform_(platform),
        request_(request),
        model_file_(model_file),
        whole_(make_problem(network, platform, request, Grain{}, model_file)),
        workers_(all_workers(platform)),
        splits_(worthwhile_splits(whole_, workers_)) {
    while (pieces_of(finest_) * tasks_of_whole() > most_tasks_of_a_candidate) finest_ *= 2;
  }

  Grain best() {
    if (finest_ >= request_.leaves) return {};
    price({});
    for (std::int64_t leaves = finest_; leaves < request_.leaves; leaves *= 2)
      try_cuts(uniform_cuts(network_, leaves));
    try_runs();
    if (network_.layers.size() <= most_layers_one_by_one) {
      costs_ = layer_costs(whole_, finest_);
      try_cuts(cuts_by_layer());
      while (improve_a_layer() || improve_two_layers() || improve_an_end()) {
      }
    }
    return first_that_fits();
  }

 private:
  struct Priced {
    Grain grain;
    std::optional<RoughValue> value;
  };

  std::int64_t tasks_of_whole() const { return std::ssize(whole_.graph().tasks); }
  std::int64_t pieces_of(std::int64_t leaves) const {
    return (request_.leaves + leaves - 1) / leaves;
  }

  void try_cuts(const std::vector<Cut>& cuts) {
    price({cuts, {}});
    if (!splits_.empty()) price({cuts, splits_});
  }

  // Whether it is the best so far.
  bool price(const Grain& grain) {
    const auto same = [&](const Priced& other) { return other.grain == grain; };
    if (std::any_of(priced_.begin(), priced_.end(), same)) return false;
    if (tasks_priced_ > most_tasks_priced) return false;
    const Problem problem = make_problem(network_, platform_, request_, grain, model_file_);
    tasks_priced_ += std::ssize(problem.graph().tasks);
    priced_.push_back({grain, keep_all_value(problem, {})});
    if (!is_better(priced_.back(), priced_[best_])) return false;
    best_ = priced_.size() - 1;
    return true;
  }

  static bool is_better(const Priced& a, const Priced& b) {
    if (!a.value || !b.value) return a.value.has_value();
    return *a.value < *b.value;
  }

  // Every worker gets neighbouring leaves, as many as its speed is worth.
  void try_runs() {
    const auto split = split_for_time(request_.leaves, split_workers(whole_));
    if (!split) return;
    std::vector<Cut> cuts = uniform_cuts(network_, 1);
    for (Cut& cut : cuts) cut.pieces = run_pieces(split->items);
    try_cuts(cuts);
  }

  // Each layer in as many pieces as it would be best in by itself.
  std::vector<Cut> cuts_by_layer() const {
    std::vector<Cut> cuts = uniform_cuts(network_, request_.leaves);
    for (Cut& cut : cuts) {
      cut.leaves = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(cut.leaves)));
      const auto cost = std::find_if(costs_.begin(), costs_.end(),
                                     [&](const LayerCost& c) { return c.layer == cut.layer; });
      if (cost != costs_.end()) cut.leaves = best_leaves(*cost);
    }
    return cuts;
  }

  std::int64_t best_leaves(const LayerCost& cost) const {
    const Grains best = best_grains({.units = std::min(request_.leaves, most_units),
                                     .workers = workers_,
                                     .unit_seconds = cost.leaf_seconds,
                                     .overhead_seconds = cost.piece_seconds});
    const auto leaves = static_cast<std::uint64_t>(request_.leaves / best.tasks);
    return std::max(finest_, static_cast<std::int64_t>(std::bit_floor(leaves)));
  }

  // Twice and half as many leaves a piece, for one layer after the other.
  bool improve_a_layer() {
    bool improved = false;
    for (const LayerCost& cost : costs_) {
      for (const bool larger : {true, false}) {
        while (auto grain = with_other_pieces(priced_[best_].grain, cost.layer, larger)) {
          if (!price(*grain)) break;
          improved = true;
        }
      }
    }
    return improved;
  }

  // Smaller pieces at the end, so that workers finish together.
  bool improve_an_end() {
    bool improved = false;
    for (const LayerCost& cost : costs_) {
      for (std::int64_t length = request_.leaves; length > finest_; length = (length + 1) / 2) {
        for (const double share : end_shares) {
          while (auto grain = with_end_in_two(priced_[best_].grain, cost.layer, length, share)) {
            if (!price(*grain)) break;
            improved = true;
          }
        }
      }
    }
    return improved;
  }

  // In the last share of the pieces, those that long in two; the last one in any case.
  std::optional<Grain> with_end_in_two(Grain grain, const std::string& layer, std::int64_t length,
                                       double share) const {
    const auto found = std::find_if(grain.cuts.begin(), grain.cuts.end(),
                                    [&](const Cut& cut) { return cut.layer == layer; });
    if (found == grain.cuts.end()) return std::nullopt;
    const auto half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)) /
                                                2);  // a node of the tree
    std::vector<std::int64_t> pieces =
        found->pieces.empty() ? uniform_pieces(found->leaves) : found->pieces;
    const auto end = static_cast<std::ptrdiff_t>(share * static_cast<double>(pieces.size()));
    int in_two = 0;
    for (std::ptrdiff_t left = std::ssize(pieces); left-- > 0;) {
      const bool is_at_end = std::ssize(pieces) - left <= end + in_two;
      if (pieces[left] <= half || pieces[left] > 2 * half || (in_two > 0 && !is_at_end)) continue;
      pieces.insert(pieces.begin() + left + 1, pieces[left] - half);
      pieces[left] = half;
      ++in_two;
    }
    if (in_two == 0) return std::nullopt;
    found->pieces = pieces;
    return grain;
  }

  std::vector<std::int64_t> uniform_pieces(std::int64_t leaves) const {
    std::vector<std::int64_t> pieces;
    for (std::int64_t begin = 0; begin < request_.leaves; begin += leaves)
      pieces.push_back(std::min(leaves, request_.leaves - begin));
    return pieces;
  }

  // Where one layer alone gains nothing: two at a time, the costliest ones.
  bool improve_two_layers() {
    const std::size_t count = std::min(costs_.size(), most_layers_in_pairs);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        for (const int ways : {0, 1, 2, 3}) {
          auto grain = with_other_pieces(priced_[best_].grain, costs_[i].layer, (ways & 1) != 0);
          if (grain) grain = with_other_pieces(*grain, costs_[j].layer, (ways & 2) != 0);
          if (grain && price(*grain)) return true;
        }
      }
    }
    return false;
  }

  std::optional<Grain> with_other_pieces(Grain grain, const std::string& layer, bool larger) const {
    for (Cut& cut : grain.cuts) {
      if (cut.layer != layer) continue;
      cut.leaves = cut.pieces.empty() ? cut.leaves : largest_power(cut.pieces);
      cut.pieces.clear();
      if (larger ? cut.leaves >= request_.leaves : cut.leaves <= finest_) return std::nullopt;
      cut.leaves = larger ? cut.leaves * 2 : cut.leaves / 2;
      return grain;
    }
    return std::nullopt;
  }

  static std::int64_t largest_power(const std::vector<std::int64_t>& pieces) {
    const std::int64_t most = *std::max_element(pieces.begin(), pieces.end());
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
  }

  // Live bytes need addresses: what is best by its value may fit no memory.
  Grain first_that_fits() {
    std::stable_sort(priced_.begin(), priced_.end(), is_better);
    const std::size_t count = std::min<std::size_t>(priced_.size(), most_grains_finished);
    for (std::size_t i = 0; i < count; ++i) {
      const Grain& grain = priced_[i].grain;
      if (!priced_[i].value || grain == Grain{}) break;
      const auto answer =
          keep_all(make_problem(network_, platform_, request_, grain, model_file_), {});
      if (answer && answer->schedule) return grain;
    }
    return {};
  }

  static constexpr std::int64_t most_units = 1024;

  const Network& network_;
  const Platform& platform_;
  const Request& request_;
  const std::string& model_file_;
  Problem whole_;
  int workers_;
  std::vector<ParameterSplit> splits_;
  std::int64_t finest_ = 1;  // leaves of the smallest piece that is tried
  std::vector<LayerCost> costs_;
  std::vector<Priced> priced_;
  std::size_t best_ = 0;
  std::int64_t tasks_priced_ = 0;
};

}  // namespace

Grain choose_grain(const Network& network, const Platform& platform, const Request& request,
                   const std::string& model_file) {
  if (request.leaves == 1) return {};
  if (all_workers(platform) == 1 && !prices_caches(platform)) return {};
  return GrainSearch(network, platform, request, model_file).best();
}

}  // namespace stint
