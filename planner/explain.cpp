#include "planner/explain.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "planner/halving.hpp"
#include "planner/plan.hpp"

namespace stint {

namespace {

constexpr std::size_t most_tensors = 300;
constexpr int most_tries = 100;
constexpr int halvings = 5;
constexpr double halving_share = 0.1;  // of the limit, for each
constexpr double close_share = 1e-3;   // of what was found: little to gain by less
constexpr std::size_t large_from_tasks = 200;
constexpr double large_halving_share = 0.01;  // the same in larger graphs, where each takes longer

bool is_proved_in_bytes(const Shortage& shortage) {
  return shortage.in_bytes && shortage.lower_bound > shortage.asked;
}

class Filter {
 public:
  Filter(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), kept_(roots_by_size(problem)) {
    options_.improved = nullptr;
  }

  // False if the tries did not suffice.
  bool filter() {
    with_workspaces_ = false;
    with_workspaces_ = !is_too_large(kept_);
    for (std::size_t size = (kept_.size() + 3) / 4; size > 0; size /= 2) {
      for (std::size_t begin = 0; begin < kept_.size();) {
        if (++tries_ > most_tries || options_.is_interrupted()) return false;
        std::vector<TensorId> fewer = kept_;
        const std::size_t end = std::min(begin + size, fewer.size());
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        if (is_too_large(fewer))
          kept_ = std::move(fewer);
        else
          begin = end;
      }
    }
    return true;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (auto tensor = kept_.rbegin(); tensor != kept_.rend(); ++tensor)
      names.push_back(problem_.graph().tensors[*tensor].name);
    if (with_workspaces_) names.push_back("workspaces");
    return names;
  }

 private:
  // Tensors that are no parts, the smallest first.
  static std::vector<TensorId> roots_by_size(const Problem& problem) {
    const auto& tensors = problem.graph().tensors;
    std::vector<TensorId> roots;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const auto id = static_cast<TensorId>(t);
      if (problem.segments.root[t] == id && tensors[t].bytes > 0) roots.push_back(id);
    }
    std::stable_sort(roots.begin(), roots.end(),
                     [&](TensorId a, TensorId b) { return tensors[a].bytes < tensors[b].bytes; });
    return roots;
  }

  // Whether it is proved that there is no plan even if all other tensors have no bytes.
  bool is_too_large(const std::vector<TensorId>& tensors) {
    Graph graph = problem_.graph();
    std::vector<bool> counts(graph.tensors.size(), false);
    for (const TensorId tensor : tensors) counts[tensor] = true;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
      if (counts[problem_.segments.root[t]]) continue;
      graph.tensors[t].bytes = 0;
      if (graph.tensors[t].part_of) graph.tensors[t].part_of->offset_bytes = 0;
    }
    for (Task& task : graph.tasks) {
      if (!with_workspaces_) task.workspace_bytes = 0;
    }
    return plan(make_problem(graph, problem_.platform(), request(), graph.name), options_).status ==
           Status::infeasible;
  }

  // For tasks: what a network was lowered with has been decided.
  Request request() const {
    Request request = problem_.request();
    request.batch = request.microbatches = request.leaves = 1;
    request.grain = 0;
    if (request.pipeline == asynchronous_pipeline) {
      request.pipeline.clear();
      request.stages = 0;
      request.strategy = "keep-all";
    }
    request.limit /= most_tries;
    return request;
  }

  const Problem& problem_;
  SearchOptions options_;
  std::vector<TensorId> kept_;
  bool with_workspaces_ = true;
  int tries_ = 0;
};

// Smaller than what strategies came across on their way: halved a few times, until it is close to
// the proof.
void find_less(const Problem& problem, const SearchOptions& options, Shortage& shortage) {
  if (!shortage.found) return;
  SearchOptions silent = options;
  silent.improved = nullptr;
  silent.explains = false;
  Request request = problem.request();
  const bool is_large = problem.graph().tasks.size() > large_from_tasks;
  request.limit *= is_large ? large_halving_share : halving_share;
  const auto arena_within = [&](std::int64_t bytes) -> std::optional<std::int64_t> {
    request.memory[shortage.what] = bytes;
    const Outcome outcome = plan(with_request(problem, request), silent);
    if (!outcome.schedule) return std::nullopt;
    return outcome.schedule->arenas.at(shortage.what);
  };
  const Halving range{static_cast<std::int64_t>(shortage.lower_bound) - 1,
                      static_cast<std::int64_t>(*shortage.found), halvings, close_share};
  shortage.found = static_cast<double>(least_bytes(range, options, arena_within));
}

}  // namespace

void explain(const Problem& problem, const SearchOptions& options, Outcome& outcome) {
  for (Shortage& shortage : outcome.shortages) {
    if (shortage.in_bytes) find_less(problem, options, shortage);
  }
  if (outcome.status != Status::infeasible || problem.graph().tensors.size() > most_tensors) return;
  for (Shortage& shortage : outcome.shortages) {
    if (!is_proved_in_bytes(shortage) || !shortage.reason.empty()) continue;
    Filter filter(problem, options);
    if (filter.filter()) shortage.reason = filter.names();
  }
}

}  // namespace stint
