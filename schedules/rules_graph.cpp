// R3: the graph is the lowering of the model, and the hashes name what the file carries.
#include <fmt/format.h>

#include "files/input_error.hpp"
#include "files/sha256.hpp"
#include "schedules/numerics.hpp"
#include "schedules/rules.hpp"

namespace stint {
namespace {

void expect_hash(const Judge& judge, const char* key, const std::string& given,
                 const std::string& expected) {
  if (given == expected) return;
  judge.report(3, std::string("/") + key,
               fmt::format("{}; expected {}", in_quotes(given), expected));
}

void expect_lowering_as_asked(const Judge& judge) {
  const Request& request = judge.schedule.request;
  const Lowering& lowering = judge.schedule.lowering;
  const auto expect_same = [&](const char* key, const auto& given, const auto& asked) {
    if (given == asked) return;
    judge.report(3, std::string("/lowering/") + key,
                 fmt::format("{}; expected the request's {}", given, asked));
  };
  expect_same("batch", lowering.batch, request.batch);
  expect_same("microbatches", lowering.microbatches, request.microbatches);
  expect_same("leaves", lowering.leaves, request.leaves);
  expect_same("layout", to_string(lowering.layout), to_string(request.layout));
  if (lowering.fuse) expect_same("fuse", true, request.fuse);
  if (lowering.shards != request.shards)
    judge.report(3, "/lowering/shards", "other shards than asked for; expected the request's");
  const bool asked_ahead = request.pipeline == asynchronous_pipeline;
  expect_same("pipelined", !lowering.pipelined.empty(), asked_ahead);
  if (asked_ahead && request.stages != 0)
    expect_same("pipelined", std::ssize(lowering.pipelined), request.stages);
}

bool has_its_graph(const Judge& judge) {
  const Schedule& schedule = judge.schedule;
  if (judge.lowered != nullptr) return *judge.lowered == schedule.graph;
  return lowers_to(schedule.model, schedule.lowering, schedule.graph);
}

}  // namespace

void judge_graph(const Judge& judge) {
  const Schedule& schedule = judge.schedule;
  expect_lowering_as_asked(judge);
  try {
    if (!has_its_graph(judge)) {
      judge.report(3, "/graph", "not what the model lowers to; expected lower(model, lowering)");
    }
  } catch (const InputError& error) {
    judge.report(3, "/lowering", error.what());
  }
  const std::string model_sha256 = sha256(model_text(schedule.model));
  expect_hash(judge, "model_sha256", schedule.model_sha256, model_sha256);
  expect_hash(judge, "platform_sha256", schedule.platform_sha256,
              sha256(platform_text(schedule.platform)));
  expect_hash(judge, "numerics_sha256", schedule.numerics_sha256,
              numerics_sha256(schedule, model_sha256));
}

}  // namespace stint
