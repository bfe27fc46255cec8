// ONNX files on the command line.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/cli/refused.hpp"
#include "tests/support/onnx_writer.hpp"

using namespace stint;
using Catch::Contains;

namespace {

using Arguments = std::vector<std::string>;

// A linear layer of four numbers to three classes.
std::string linear_file(const TemporaryFolder& folder) {
  OnnxWriter onnx;
  onnx.input("x", {-1, 4}).weight("w", {3, 4}).weight("b", {3});
  onnx.node("Gemm", {"x", "w", "b"}, {"y"}, {{"transB", std::int64_t{1}}}).output("y");
  return folder.file("linear.onnx", onnx.bytes());
}

Ran plan_linear(const Arguments& options) {
  const TemporaryFolder folder;
  Arguments all = {"-q", linear_file(folder), bundled("platforms/desk.json")};
  all.insert(all.end(), options.begin(), options.end());
  return run_program("plan", all);
}

}  // namespace

TEST_CASE("an ONNX file is planned as it is asked to be trained", "[cli]") {
  const Ran by_default = plan_linear({"--batch", "4"});
  CHECK(by_default.exit == 0);
  CHECK_THAT(by_default.out, Contains(R"("loss": {"op":"cross_entropy")"));
  CHECK_THAT(by_default.out, Contains(R"("optimizer": {"op":"sgd"})"));
  const Ran adam = plan_linear({"--optimizer", "adam", "--learning-rate", "0.5", "--loss", "mse"});
  CHECK(adam.exit == 0);
  CHECK_THAT(adam.out, Contains(R"("loss": {"op":"mse")"));
  CHECK_THAT(adam.out, Contains(R"("optimizer": {"op":"adam","learning_rate":0.5})"));
  const Ran sgd = plan_linear({"--momentum", "0.5", "--weight-decay", "0.25"});
  CHECK_THAT(sgd.out, Contains(R"("optimizer": {"op":"sgd","momentum":0.5,"weight_decay":0.25})"));
}

TEST_CASE("the plan of an ONNX file holds, and carries its network", "[cli]") {
  const TemporaryFolder folder;
  const std::string schedule = folder.path("s.json");
  REQUIRE(run_program("plan",
                      {"-q", linear_file(folder), bundled("platforms/desk.json"), "-o", schedule})
              .exit == 0);
  CHECK(run_program("show", {schedule, "--check"}).exit == 0);
}

TEST_CASE("show tells an ONNX file layer by layer", "[cli]") {
  const TemporaryFolder folder;
  const std::string file = linear_file(folder);
  CHECK_THAT(run_program("show", {file}).out, Contains("a network of 1 layer, 15 parameters"));
  CHECK_THAT(run_program("show", {file, "--json"}).out, Contains("\"parameters\":15"));
  CHECK_THAT(run_program("show", {file, "--check"}).out, Contains("linear.onnx: ok, 1 layer\n"));
}

TEST_CASE("training that makes no sense is refused", "[cli]") {
  require_refused(plan_linear({"--loss", "hinge"}), "expected cross_entropy or mse");
  require_refused(plan_linear({"--optimizer", "newton"}), "expected sgd or adam");
  require_refused(plan_linear({"--optimizer", "adam", "--momentum", "0.9"}), "--momentum");
  require_refused(plan_linear({"--learning-rate", "-1"}), "--learning-rate");
  require_refused(plan_linear({"--weight-decay", "nan"}), "--weight-decay");
}

TEST_CASE("a file that says how it is trained is not told otherwise", "[cli]") {
  const Arguments option = GENERATE(Arguments{"--loss", "mse"}, Arguments{"--optimizer", "adam"},
                                    Arguments{"--learning-rate", "1"}, Arguments{"--momentum", "0"},
                                    Arguments{"--weight-decay", "0"});
  const std::string model = GENERATE("models/lenet5.json", "models/chain5.json");
  Arguments all = {"-q", bundled(model), bundled("platforms/desk.json")};
  all.insert(all.end(), option.begin(), option.end());
  require_refused(run_program("plan", all), option[0] + ": for ONNX files only");
}

TEST_CASE("a bad ONNX file is refused with one line", "[cli]") {
  const TemporaryFolder folder;
  const std::string text = GENERATE("", "{}", "\x08\x07", "not protocol buffers at all");
  const std::string bad = folder.file("bad.onnx", text);
  require_refused(run_program("plan", {bad, bundled("platforms/desk.json")}), "bad.onnx: ");
  require_refused(run_program("show", {bad}), "bad.onnx: ");
}
