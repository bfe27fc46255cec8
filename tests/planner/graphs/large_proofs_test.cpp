// Networks of some hundred tasks are proved optimal, to the last digit: also where costs are no
// whole numbers, and where the best plan is in another order than that of the file.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "planner/plan.hpp"
#include "planner/solver/cp_sat.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

class LayersOfBranches {
 public:
  explicit LayersOfBranches(double second) : second_(second) {}

  // Every layer reads its input twice and joins both; 7 tasks a layer.
  Graph make(int layers) {
    tensor("x0", 4, Kind::input);
    for (int l = 0; l < layers; ++l) forward(l);
    const std::string last = fmt::format("x{}", layers);
    add("loss", {last}, {"d" + last}, 1, 4);
    for (int l = layers - 1; l >= 0; --l) backward(l);
    return graph_;
  }

 private:
  TensorId tensor(const std::string& name, std::int64_t bytes, Kind kind = Kind::activation) {
    Tensor added;
    added.name = name;
    added.bytes = bytes;
    added.kind = kind;
    graph_.tensors.push_back(added);
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }
  TensorId find(const std::string& name) const {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
      if (graph_.tensors[t].name == name) return static_cast<TensorId>(t);
    throw std::logic_error("no tensor " + name);
  }
  void add(const std::string& name, const std::vector<std::string>& reads,
           const std::vector<std::string>& writes, int seconds, std::int64_t bytes) {
    Task task;
    task.name = name;
    for (const auto& read : reads) task.reads.push_back(find(read));
    for (const auto& written : writes) task.writes.push_back(tensor(written, bytes));
    task.seconds["cpu"].value = seconds * second_;
    graph_.tasks.push_back(task);
  }
  void forward(int l) {
    add(fmt::format("A{}", l), {fmt::format("x{}", l)}, {fmt::format("a{}", l)}, 3 + l % 4, 4);
    add(fmt::format("B{}", l), {fmt::format("x{}", l)}, {fmt::format("b{}", l)}, 2 + l % 5, 6);
    add(fmt::format("J{}", l), {fmt::format("a{}", l), fmt::format("b{}", l)},
        {fmt::format("x{}", l + 1)}, 1 + l % 3, 4);
  }
  void backward(int l) {
    const std::string out = fmt::format("dx{}", l + 1);
    add(fmt::format("GJ{}", l), {out, fmt::format("a{}", l), fmt::format("b{}", l)},
        {fmt::format("da{}", l)}, 2, 4);
    add(fmt::format("GA{}", l), {fmt::format("da{}", l), fmt::format("x{}", l)},
        {fmt::format("d1_{}", l)}, 5, 4);
    add(fmt::format("GB{}", l), {out, fmt::format("x{}", l)}, {fmt::format("d2_{}", l)}, 4, 4);
    add(fmt::format("S{}", l), {fmt::format("d1_{}", l), fmt::format("d2_{}", l)},
        {fmt::format("dx{}", l)}, 1, 4);
  }

  double second_;
  Graph graph_;
};

Outcome planned(const Graph& graph, std::int64_t bytes) {
  const Problem problem = problem_of(graph, plain_machine(), within("n0/ram", bytes));
  return plan(problem, {});
}

}  // namespace

TEST_CASE("a network of 337 tasks is proved optimal, whatever its costs are", "[graph]") {
  if (!has_cp_sat()) return;
  const double second = GENERATE(1.0, 0.1234567890123);
  Graph graph = LayersOfBranches(second).make(48);
  REQUIRE(graph.tasks.size() == 337);
  if (second != 1.0) {
    for (std::size_t t = 0; t < graph.tasks.size(); ++t)
      graph.tasks[t].seconds["cpu"].value *= 1 + 0.01 * std::sin(static_cast<double>(t));
  }
  for (const std::int64_t bytes : {550, 400}) {
    CAPTURE(second, bytes);
    const Outcome found = planned(graph, bytes);
    REQUIRE(found.schedule);
    CHECK(validate(*found.schedule).empty());
    CHECK(found.schedule->predicted.recomputed > 0);
    CHECK(found.status == Status::optimal);
  }
}
