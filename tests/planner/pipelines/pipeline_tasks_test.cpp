#include "planner/pipelines/pipeline_tasks.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "files/input_error.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

struct Found {
  Problem problem;
  PipelineTasks tasks;
  std::map<std::string, int> by_name;

  int layer(const std::string& name) const { return tasks.layer[by_name.at(name)]; }
  int microbatch(const std::string& name) const { return tasks.microbatch[by_name.at(name)]; }
  StageWork work(const std::string& name) const { return tasks.work[by_name.at(name)]; }
};

Found found(const std::string& model, int microbatches) {
  Request request;
  request.batch = 8;
  request.microbatches = microbatches;
  request.pipeline = "1f1b";
  const Platform desk = read_platform(bundled("platforms/desk.json"));
  Found result{problem_of(read_model(bundled(model)), desk, request), {}, {}};
  result.tasks = pipeline_tasks(*placed_graph(result.problem));
  const auto& tasks = result.problem.graph().tasks;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    result.by_name[tasks[t].name] = static_cast<int>(t);
  return result;
}

}  // namespace

TEST_CASE("Backward tasks go with the layer that they undo", "[pipelines]") {
  const Found mlp = found("models/mlp.json", 4);
  CHECK(mlp.tasks.microbatches == 4);
  CHECK(mlp.tasks.layers == 5);
  for (const std::string j : {"#0", "#1", "#3"}) {
    CHECK(mlp.layer("fc1.forward" + j) == 0);
    CHECK(mlp.layer("relu1.backward" + j) == 1);
    CHECK(mlp.layer("fc2.backward_data" + j) == 2);
    CHECK(mlp.layer("fc2.backward_weights" + j) == 2);
    CHECK(mlp.layer("loss.backward" + j) == 4);
    CHECK(mlp.layer("fc1.backward_weights" + j) == 0);
    CHECK(mlp.microbatch("fc2.backward_data" + j) == j[1] - '0');
    CHECK(mlp.work("fc2.backward_data" + j) == StageWork::backward);
    CHECK(mlp.work("fc2.backward_weights" + j) == StageWork::weights);
  }
  CHECK(mlp.microbatch("fc2.weight.grad#0:2.sum") == no_microbatch);
  CHECK(mlp.layer("fc2.weight.grad#0:2.sum") == 2);
}

TEST_CASE("Gradients come from later layers or from the same", "[pipelines]") {
  const std::string model = GENERATE("models/gpt_tiny.json", "models/resnet18.json",
                                     "models/inception.json", "models/unet.json");
  const Found all = found(model, 2);
  CHECK(all.tasks.microbatches == 2);
  for (std::size_t t = 0; t < all.tasks.layer.size(); ++t) {
    for (const TaskId before : all.problem.needs[t]) {
      const bool backward = all.tasks.work[before] != StageWork::forward;
      if (backward) CHECK(all.tasks.layer[before] >= all.tasks.layer[t]);
      if (!backward && all.tasks.work[t] == StageWork::forward)
        CHECK(all.tasks.layer[before] <= all.tasks.layer[t]);
    }
  }
}
