#include "planner/pipelines/pipedream.hpp"

#include <algorithm>
#include <set>

#include "planner/infinity.hpp"
#include "planner/pipelines/running_sums.hpp"

namespace stint {
namespace {

constexpr double cost_tolerance = 1e-12;

// Partitions of the layers from one on to a number of workers, all of which are used.
class Partitioning {
 public:
  Partitioning(const PipeDreamProblem& problem, int workers, bool replicates)
      : problem_(problem),
        layers_(static_cast<int>(problem.seconds.size())),
        workers_(workers),
        most_replicas_(replicates ? workers : 1),
        t_(running_sums(problem.seconds)),
        a_(running_sums(problem.output_bytes)),
        w_(running_sums(problem.weight_bytes)),
        least_(layers_ + 1, std::vector<double>(workers + 1, infinity)),
        fewest_(layers_ + 1, std::vector<int>(workers + 1, layers_ + 1)) {
    least_[layers_][0] = 0;
    for (int i = layers_ - 1; i >= 0; --i) {
      for (int k = 1; k <= workers; ++k) {
        for_each_stage(i, k, [&](int end, int r, double seconds) {
          least_[i][k] = std::min(least_[i][k], std::max(seconds, least_[end][k - r]));
        });
      }
    }
  }

  double least() const { return least_[0][workers_]; }

  PipeDreamPartition best() {
    limit_ = least() * (1 + cost_tolerance);
    count_stages();
    PipeDreamPartition partition{least(), {}, {}};
    find_ends(partition);
    find_replicas(partition);
    for (int& end : partition.ends) --end;
    return partition;
  }

 private:
  // Seconds of a stage of layers [begin, end) on r of the k workers from it on, and of the message
  // behind it.
  double stage_seconds(int begin, int end, int k, int r) const {
    const double t = t_[end] - t_[begin];
    const double w = w_[end] - w_[begin];
    const double bandwidth = problem_.bytes_per_second;
    const int versions = (k + r - 1) / r;
    const double bytes = versions * (a_[end] - a_[begin] + w);
    if (problem_.memory_bytes && bytes > *problem_.memory_bytes) return infinity;
    const double own = problem_.form == PipeDreamForm::code
                           ? (t + 4.0 * (r - 1) * w / (bandwidth * r)) / r
                           : std::max(t, 2.0 * (r - 1) * w / bandwidth) / r;
    const double message = end == layers_ ? 0 : 2 * problem_.output_bytes[end - 1] / bandwidth;
    return std::max(own, message);
  }

  template <typename Visit>
  void for_each_stage(int begin, int k, const Visit& visit) const {
    for (int end = begin + 1; end <= layers_; ++end) {
      for (int r = 1; r <= std::min(k, most_replicas_); ++r)
        visit(end, r, stage_seconds(begin, end, k, r));
    }
  }

  // The fewest stages from each layer on, all within the limit.
  void count_stages() {
    fewest_[layers_][0] = 0;
    for (int i = layers_ - 1; i >= 0; --i) {
      for (int k = 1; k <= workers_; ++k) {
        for_each_stage(i, k, [&](int end, int r, double seconds) {
          if (seconds <= limit_) fewest_[i][k] = std::min(fewest_[i][k], 1 + fewest_[end][k - r]);
        });
      }
    }
  }

  // `left`: how many workers may be left, whatever the replicas so far.
  void find_ends(PipeDreamPartition& partition) const {
    std::set<int> left{workers_};
    int begin = 0;
    for (int stages = fewest_[0][workers_]; stages > 0; --stages) {
      int end = begin;
      std::set<int> next;
      while (next.empty()) next = after(begin, ++end, stages, left);
      partition.ends.push_back(end);
      left = next;
      begin = end;
    }
  }
  std::set<int> after(int begin, int end, int stages, const std::set<int>& left) const {
    std::set<int> next;
    for (const int k : left) {
      for (int r = 1; r <= std::min(k, most_replicas_); ++r) {
        if (stage_seconds(begin, end, k, r) <= limit_ && fewest_[end][k - r] == stages - 1)
          next.insert(k - r);
      }
    }
    return next;
  }

  // By stage and workers: whether the stages from it on can take exactly so many.
  std::vector<std::vector<char>> fitting(const std::vector<int>& ends) const {
    std::vector<std::vector<char>> fits(ends.size() + 1, std::vector<char>(workers_ + 1, 0));
    fits.back()[0] = 1;
    for (std::size_t stage = ends.size(); stage-- > 0;) {
      for (int k = 1; k <= workers_; ++k)
        fits[stage][k] = fewest_replicas(ends, stage, k, fits[stage + 1]) > 0;
    }
    return fits;
  }
  // 0 if none will do.
  int fewest_replicas(const std::vector<int>& ends, std::size_t stage, int k,
                      const std::vector<char>& rest_fits) const {
    const int begin = stage == 0 ? 0 : ends[stage - 1];
    for (int r = 1; r <= std::min(k, most_replicas_); ++r) {
      if (rest_fits[k - r] && stage_seconds(begin, ends[stage], k, r) <= limit_) return r;
    }
    return 0;
  }
  void find_replicas(PipeDreamPartition& partition) const {
    const auto fits = fitting(partition.ends);
    int k = workers_;
    for (std::size_t stage = 0; stage < partition.ends.size(); ++stage) {
      const int r = fewest_replicas(partition.ends, stage, k, fits[stage + 1]);
      partition.replicas.push_back(r);
      k -= r;
    }
  }

  const PipeDreamProblem& problem_;
  int layers_;
  int workers_;
  int most_replicas_;
  std::vector<double> t_, a_, w_;           // sums of all before
  std::vector<std::vector<double>> least_;  // [first layer][workers]
  std::vector<std::vector<int>> fewest_;
  double limit_ = 0;
};

std::optional<PipeDreamPartition> with_all(const PipeDreamProblem& problem, int workers) {
  Partitioning partitioning(problem, workers, problem.replicates);
  if (partitioning.least() == infinity) return std::nullopt;
  return partitioning.best();
}

}  // namespace

std::optional<PipeDreamPartition> pipedream_partition(const PipeDreamProblem& problem) {
  if (problem.replicates) return with_all(problem, problem.workers);
  std::optional<PipeDreamPartition> best;
  const int most = std::min(problem.workers, static_cast<int>(problem.seconds.size()));
  for (int stages = 1; stages <= most; ++stages) {
    auto partition = with_all(problem, stages);
    if (partition && (!best || partition->seconds < best->seconds * (1 - cost_tolerance)))
      best = std::move(partition);
  }
  return best;
}

}  // namespace stint
