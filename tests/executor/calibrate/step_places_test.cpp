// Where tensors lie while a step is measured, and steps measured there.
#include "executor/calibrate/step_places.hpp"

#include <catch2/catch.hpp>

#include "executor/calibrate/designed_networks.hpp"
#include "executor/calibrate/step_bench.hpp"
#include "models/parts.hpp"

using namespace stint;

namespace {

const DesignLimits four_small_networks{.networks = 4, .most_flops = 1e6, .most_bytes = 1 << 18};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

// A tensor by its whole: when it is first and last used, and where it lies.
struct Life {
  int first = -1;
  int last = -1;
  Range place;
};

std::vector<Life> lives(const Graph& graph, const StepPlaces& places) {
  std::vector<Life> found(graph.tensors.size());
  const int end = static_cast<int>(graph.tasks.size());
  const auto use = [&](TensorId tensor, int task) {
    const TensorId root = place_in_root(graph, tensor).tensor;
    Life& life = found[root];
    if (life.first < 0) life.first = task;
    life.last = std::max(life.last, task);
    life.place = {places.tensors[root], places.tensors[root] + graph.tensors[root].bytes};
  };
  for (int i = 0; i < static_cast<int>(graph.tensors.size()); ++i) {
    if (graph.tensors[i].kind == Kind::activation) continue;
    use(TensorId{i}, 0);
    use(TensorId{i}, end);
  }
  for (int t = 0; t < end; ++t) {
    const Task& task = graph.tasks[t];
    for (const auto* list : {&task.reads, &task.writes, &task.updates}) {
      for (const TensorId tensor : *list) use(tensor, t);
    }
  }
  for (const TensorId result : graph.results) use(result, end);
  return found;
}

bool may_share(const Graph& graph, int task, int written, int read) {
  const auto& pairs = graph.tasks[task].may_overwrite;
  return std::find(pairs.begin(), pairs.end(), std::pair(TensorId{written}, TensorId{read})) !=
         pairs.end();
}

}  // namespace

TEST_CASE("tensors that live at once lie apart, but for outputs in the place of inputs",
          "[calibrate]") {
  std::size_t shared = 0;
  for (const auto& [network, lowering] : designed_networks(four_small_networks, 2)) {
    const Graph graph = lower_network(network, lowering);
    const std::vector<std::int64_t> workspaces(graph.tasks.size(), 1000);
    const StepPlaces places = step_places(graph, workspaces);
    const std::vector<Life> all = lives(graph, places);
    for (int a = 0; a < static_cast<int>(all.size()); ++a) {
      if (all[a].first < 0) continue;
      REQUIRE(all[a].place.end <= places.bytes);
      for (int t = all[a].first; t <= all[a].last && t < static_cast<int>(workspaces.size()); ++t)
        CHECK_FALSE(all[a].place.overlaps({places.workspaces[t], places.workspaces[t] + 1000}));
      for (int b = 0; b < static_cast<int>(all.size()); ++b) {
        const bool at_once = all[a].first <= all[b].last && all[b].first <= all[a].last;
        if (a == b || all[b].first < 0 || !at_once || !all[a].place.overlaps(all[b].place))
          continue;
        const int turn = std::max(all[a].first, all[b].first);
        CAPTURE(graph.tensors[a].name, graph.tensors[b].name);
        CHECK((may_share(graph, turn, a, b) || may_share(graph, turn, b, a)));
        CHECK(std::min(all[a].last, all[b].last) == turn);
        ++shared;
      }
    }
  }
  CHECK(shared > 0);
}

#ifdef STINT_TEST_ONEDNN
TEST_CASE("every task of a step is measured where it stands", "[calibrate]") {
  for (const NetworkStep& step : designed_networks(four_small_networks, 3)) {
    const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
    StepBench bench(step, lowered);
    bench.prepare();
    const std::vector<double> seconds = bench.seconds();
    REQUIRE(seconds.size() == lowered.graph.tasks.size());
    for (const double one : seconds) CHECK(one > 0);
  }
}
#endif
