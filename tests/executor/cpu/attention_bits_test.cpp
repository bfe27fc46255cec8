// Attention is compiled for two kinds of processors: results must not depend on which of them.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "executor/cpu/own/attention.hpp"
#include "models/training/effort.hpp"
#include "tests/executor/cpu/seeded_numbers.hpp"

using namespace stint;

namespace {

// Everything that a head writes, forward and backward.
std::vector<float> written(const AttentionLoops& loops, const HeadSizes& sizes) {
  const auto q = seeded_numbers(sizes.queries * sizes.query_row(), 1);
  const auto k = seeded_numbers(sizes.keys * sizes.query_row(), 2);
  const auto v = seeded_numbers(sizes.keys * sizes.value_row(), 3);
  const auto dy = seeded_numbers(sizes.queries * sizes.value_row(), 4);
  std::vector<float> y(dy.size()), log_sum(static_cast<std::size_t>(sizes.queries));
  std::vector<float> dq(q.size()), dk(k.size()), dv(v.size());
  const std::int64_t bytes = attention_workspace_bytes(sizes.keys, sizes.width, sizes.out_width);
  std::vector<float> workspace(static_cast<std::size_t>(bytes) / sizeof(float));
  const Head head{q.data(), k.data(), v.data()};
  loops.forward(sizes, head, y.data(), log_sum.data(), workspace.data());
  loops.backward(sizes, head,
                 {y.data(), log_sum.data(), dy.data(), dq.data(), dk.data(), dv.data()},
                 workspace.data());
  std::vector<float> all;
  for (const auto* part : {&y, &log_sum, &dq, &dk, &dv})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

}  // namespace

#ifdef __x86_64__
TEST_CASE("attention gives the same bits in registers of 256 and of 512 bits", "[attention]") {
  if (!__builtin_cpu_supports("avx512f")) return;
  const std::int64_t queries = GENERATE(1, 33, 64);
  const std::int64_t keys = GENERATE(1, 17, 32, 70);
  const std::int64_t width = GENERATE(8, 20, 64);
  for (const bool causal : {false, true}) {
    const HeadSizes sizes{.samples = 1,
                          .heads = 2,
                          .queries = queries,
                          .keys = keys,
                          .width = width,
                          .out_width = width + 5,
                          .scale = 0.3F,
                          .causal = causal};
    CAPTURE(queries, keys, width, causal);
    const auto narrow = written(narrow_attention(), sizes);
    const auto wide = written(wide_attention(), sizes);
    CHECK(std::memcmp(narrow.data(), wide.data(), narrow.size() * sizeof(float)) == 0);
  }
}
#endif
