#include "planner/grains/choose_shards.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "files/input_error.hpp"
#include "planner/grains/pricing.hpp"
#include "planner/keep_all.hpp"
#include "planner/memory_bound.hpp"

namespace stint {
namespace {

constexpr std::int64_t most_shards = 64;
// The less the better.
enum class Fit { kept, perhaps, never };
struct Worth {
  Fit fit = Fit::kept;
  RoughValue value;
  auto operator<=>(const Worth&) const = default;
};

class ShardSearch {
 public:
  ShardSearch(const Network& network, const Platform& platform, const Request& request,
              const std::string& model_file)
      : network_(network),
        platform_(platform),
        request_(request),
        model_file_(model_file),
        workers_(all_workers(platform)) {}

  std::vector<Shard> best() {
    price({});
    for (std::int64_t count = 2; count <= std::min(workers_, most_shards); count *= 2) {
      for (const ShardReach reach : {ShardReach::pairs, ShardReach::linear, ShardReach::all}) {
        const std::vector<Shard> shards = shards_everywhere(network_, count, reach);
        if (!shards.empty() && shards != last_) price(shards);
      }
    }
    return best_;
  }

 private:
  // Whole layers, and layers cut along leaves so that each worker has a piece.
  void price(const std::vector<Shard>& shards) {
    last_ = shards;
    price(shards, {});
    const auto leaves = static_cast<std::uint64_t>(request_.leaves / workers_);
    if (request_.grain != 0 && request_.leaves > 1)
      price(shards, {uniform_cuts(network_, static_cast<std::int64_t>(std::max<std::uint64_t>(
                                                1, std::bit_floor(leaves)))),
                     {}});
  }

  void price(const std::vector<Shard>& shards, const Grain& grain) {
    if (tasks_priced_ > most_tasks_priced) return;
    Request request = request_;
    request.shards = shards;
    const Problem problem = make_problem(network_, platform_, request, grain, model_file_);
    tasks_priced_ += std::ssize(problem.graph().tasks);
    const auto worth = worth_of(problem);
    if (!worth || (best_worth_ && !(*worth < *best_worth_))) return;
    best_worth_ = worth;
    best_ = shards;
  }

  // What does not fit with everything kept may with recomputation, or when moved away; unless that
  // is proved impossible.
  std::optional<Worth> worth_of(const Problem& problem) const {
    if (const auto value = keep_all_value_that_fits(problem, {})) return Worth{Fit::kept, *value};
    const auto value = keep_all_value(problem, {});
    if (!value) return std::nullopt;
    return Worth{is_too_large(problem) ? Fit::never : Fit::perhaps, *value};
  }

  static bool is_too_large(const Problem& problem) {
    for (std::size_t m = 0; m < problem.capacity_bytes.size(); ++m) {
      if (memory_bound(problem, static_cast<MemoryId>(m)).bytes > problem.capacity_bytes[m])
        return true;
    }
    return false;
  }

  const Network& network_;
  const Platform& platform_;
  const Request& request_;
  const std::string& model_file_;
  std::int64_t workers_;
  std::vector<Shard> last_;  // that was priced
  std::vector<Shard> best_;
  std::optional<Worth> best_worth_;
  std::int64_t tasks_priced_ = 0;
};

}  // namespace

std::vector<Shard> choose_shards(const Network& network, const Platform& platform,
                                 const Request& request, const std::string& model_file) {
  return ShardSearch(network, platform, request, model_file).best();
}

}  // namespace stint
