// Pipelines on the command line: whatever the order of the stages, the bits are the same.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/cli/refused.hpp"

using namespace stint;
using Catch::Contains;

namespace {

using Arguments = std::vector<std::string>;

Ran plan_steps(const std::string& model, Arguments options) {
  options.insert(options.begin(),
                 {"-q", bundled("models/" + model + ".json"), bundled("platforms/desk.json"),
                  "--batch", "8", "--microbatches", "4"});
  return run_program("plan", options);
}

// Plans, checks and trains two steps; the hash of the state that they end with.
std::string trained_state(const std::string& model, Arguments options) {
  const TemporaryFolder folder;
  const std::string schedule = folder.path("s.json");
  options.insert(options.end(), {"-o", schedule});
  const Ran planned = plan_steps(model, options);
  CAPTURE(options, planned.err);
  REQUIRE(planned.exit == 0);
  CHECK(run_program("show", {schedule, "--check"}).exit == 0);
  const Ran ran = run_program("run", {schedule, "--steps", "2", "--warmup", "0", "-q", "--json"});
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  const std::size_t at = ran.out.find("\"state_sha256\"");
  REQUIRE(at != std::string::npos);
  return ran.out.substr(at, 90);
}

}  // namespace

TEST_CASE("every order of a pipeline trains to the same bits as none", "[cli][training]") {
  if (!STINT_TRAINS) return;
  const std::string model = GENERATE("mlp", "lenet5");
  const std::string plain = trained_state(model, {"--strategy", "keep-all"});
  for (const std::string order : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "auto"}) {
    for (const std::string stages : {"2", "4"}) {
      CAPTURE(order, stages);
      if (order == "interleaved" && stages == "4" && model == "mlp") continue;
      CHECK(trained_state(model, {"--pipeline", order, "--stages", stages}) == plain);
    }
  }
}

TEST_CASE("a pipeline of layers that are cut into leaves trains to the bits of whole ones",
          "[cli][training]") {
  if (!STINT_TRAINS) return;
  CHECK(trained_state("lenet5",
                      {"--pipeline", "1f1b", "--stages", "2", "--leaves", "2", "--grain", "1"}) ==
        trained_state("lenet5", {"--strategy", "keep-all", "--leaves", "2", "--grain", "2"}));
}

TEST_CASE("an asynchronous pipeline trains to bits of its own, the same every time",
          "[cli][training]") {
  if (!STINT_TRAINS) return;
  const Arguments ahead = {"--pipeline", "pipedream", "--stages", "2"};
  const std::string first = trained_state("mlp", ahead);
  CHECK(trained_state("mlp", ahead) == first);
  CHECK(trained_state("mlp", {"--pipeline", "1f1b", "--stages", "2"}) != first);
  CHECK(trained_state("mlp", {"--pipeline", "pipedream", "--stages", "3"}) != first);
}

TEST_CASE("pipelines that make no sense are refused", "[cli]") {
  require_refused(plan_steps("mlp", {"--pipeline", "pipedream"}), "--stages");
  require_refused(plan_steps("mlp", {"--pipeline", "pipedream", "--stages", "6"}), "at most 5");
  require_refused(plan_steps("mlp", {"--pipeline", "2f2b"}), "1f1b");
  require_refused(plan_steps("mlp", {"--pipeline", "1f1b", "--stages", "6"}), "at most 5");
  require_refused(plan_steps("mlp", {"--pipeline", "1f1b", "--stages", "0"}), "--stages");
  require_refused(plan_steps("mlp", {"--pipeline", "interleaved", "--stages", "3"}), "--pipeline");
  require_refused(plan_steps("mlp", {"--pipeline", "interleaved:x"}), "chunks");
  require_refused(plan_steps("mlp", {"--stages", "2"}), "--pipeline");
  require_refused(plan_steps("mlp", {"--pipeline", "gpipe", "--strategy", "chain"}), "strategy");
  require_refused(plan_steps("mlp", {"--pipeline", "gpipe", "--microbatches", "0"}),
                  "--microbatches");
}

TEST_CASE("the same pipeline gives the same bytes, with any number of threads", "[cli]") {
  const Ran once = plan_steps("lenet5", {"--pipeline", "auto"});
  CHECK(once.exit == 0);
  CHECK(once.out == plan_steps("lenet5", {"--pipeline", "auto", "--threads", "2"}).out);
  CHECK_THAT(once.out, Contains("\"pipeline\": \"auto\"") || Contains("\"pipeline\":\"auto\""));
}
