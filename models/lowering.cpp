#include "models/lowering.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"
#include "models/training/lower_network.hpp"

namespace stint {
namespace {

constexpr const char* needs_layers = "which needs a model of layers";

void expect_one(const char* key, std::int64_t given) {
  if (given == 1) return;
  throw InputError(fmt::format("/lowering/{}", key),
                   fmt::format("{}, {}; expected 1 for a graph of tasks", given, needs_layers));
}

void expect_none(const Lowering& lowering) {
  expect_one("batch", lowering.batch);
  expect_one("microbatches", lowering.microbatches);
  expect_one("leaves", lowering.leaves);
  expect_one("replicas", lowering.replicas);
  if (lowering.layout != ImageLayout::nhwc) {
    throw InputError("/lowering/layout", fmt::format("{}, {}; expected nhwc for a graph of tasks",
                                                     to_string(lowering.layout), needs_layers));
  }
  if (lowering.fuse) {
    throw InputError("/lowering/fuse",
                     fmt::format("true, {}; expected false for a graph of tasks", needs_layers));
  }
  if (!lowering.post_ops.empty()) {
    throw InputError("/lowering/post_ops",
                     fmt::format("{}, {}; expected none", lowering.post_ops[0], needs_layers));
  }
  if (!lowering.shards.empty()) {
    throw InputError("/lowering/shards",
                     fmt::format("shards of {}, {}; expected none",
                                 in_quotes(lowering.shards[0].layer), needs_layers));
  }
  if (!lowering.kernels.empty()) {
    throw InputError("/lowering/kernels",
                     fmt::format("a kernel of {}, {}; expected none",
                                 in_quotes(lowering.kernels[0].op), needs_layers));
  }
  if (!lowering.splits.empty()) {
    throw InputError("/lowering/splits",
                     fmt::format("ranges of {}, {}; expected none",
                                 in_quotes(lowering.splits[0].parameter), needs_layers));
  }
  if (!lowering.pipelined.empty()) {
    throw InputError("/lowering/pipelined", fmt::format("stages, {}; expected none", needs_layers));
  }
  if (!lowering.cuts.empty()) {
    throw InputError("/lowering/cuts",
                     fmt::format("a cut of {}, {}; expected none",
                                 in_quotes(lowering.cuts[0].layer), needs_layers));
  }
}

}  // namespace

std::string to_string(ImageLayout layout) { return layout == ImageLayout::nhwc ? "nhwc" : "nchw"; }

std::string to_string(ShardBy by) {
  switch (by) {
    case ShardBy::columns:
      return "columns";
    case ShardBy::rows:
      return "rows";
    case ShardBy::channels:
      return "channels";
    case ShardBy::heads:
      break;
  }
  return "heads";
}

std::vector<Cut> uniform_cuts(const Network& network, std::int64_t leaves) {
  std::vector<Cut> all;
  if (leaves == 0) return all;
  for (const Layer& layer : network.layers) all.push_back({layer.name, leaves});
  all.push_back({"loss", leaves});
  return all;
}

Graph lower(const Model& model, const Lowering& lowering) {
  if (const auto* const network = std::get_if<Network>(&model)) {
    return lower_network(*network, lowering);
  }
  expect_none(lowering);
  return std::get<Graph>(model);
}

bool lowers_to(const Model& model, const Lowering& lowering, const Graph& graph) {
  if (const auto* const network = std::get_if<Network>(&model)) {
    // A small file must not make a judge lower to millions of tasks.
    return lower_network(*network, lowering, std::ssize(graph.tasks)) == graph;
  }
  expect_none(lowering);
  return std::get<Graph>(model) == graph;
}

}  // namespace stint
