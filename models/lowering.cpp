#include "models/lowering.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"

namespace stint {
namespace {

void expect_one(const char* key, std::int64_t given) {
  if (given == 1) return;
  throw InputError(
      fmt::format("/lowering/{}", key),
      fmt::format("{}, which needs a model of layers; expected 1 for a graph of tasks", given));
}

void expect_none(const Lowering& lowering) {
  expect_one("batch", lowering.batch);
  expect_one("microbatches", lowering.microbatches);
  expect_one("replicas", lowering.replicas);
}

}  // namespace

Graph lower(const Graph& model, const Lowering& lowering) {
  expect_none(lowering);
  return model;
}

bool lowers_to(const Graph& model, const Lowering& lowering, const Graph& graph) {
  expect_none(lowering);
  return model == graph;
}

}  // namespace stint
