#include "planner/pipelines/pipeline_request.hpp"

#include <fmt/format.h>

#include <charconv>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr int most_chunks = 64;
constexpr int most_stages_asked = 1024;

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  throw InputError("--pipeline",
                   why + " " + in_quotes(name) +
                       "; expected auto, gpipe, 1f1b, interleaved, interleaved:CHUNKS, "
                       "zb-h1, zb-h2 or pipedream");
}

// Of interleaved:CHUNKS.
int chunks_of(const std::string& name, std::size_t colon) {
  int chunks = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, chunks);
  if (error != std::errc{} || stop != end || chunks < 1 || chunks > most_chunks)
    fail(name, "no number of chunks in");
  return chunks;
}

void expect_sensible(const Request& request) {
  const bool is_asked = !request.pipeline.empty() || request.stages != 0;
  if (is_asked && request.strategy != "auto" && request.strategy != "pipeline")
    throw InputError("--pipeline", "asked for beside the strategy " + in_quotes(request.strategy) +
                                       "; expected pipeline, or none");
  if (request.stages != 0 && request.pipeline.empty() && request.strategy != "pipeline")
    throw InputError("--stages", "there is no pipeline; expected --pipeline too");
  if (request.stages < 0 || request.stages > most_stages_asked)
    throw InputError("--stages",
                     fmt::format("{}; expected 1 to {}", request.stages, most_stages_asked));
  if (request.pipeline == asynchronous_pipeline && request.stages == 0)
    throw InputError("--pipeline",
                     "pipedream without a number of stages, which decides the bits; expected "
                     "--stages too");
}

}  // namespace

PipelineRequest pipeline_request(const Request& request) {
  expect_sensible(request);
  PipelineRequest asked;
  asked.stages = static_cast<int>(request.stages);
  asked.kinds = pipeline_kinds();
  const std::string& name = request.pipeline;
  if (name.empty() || name == "auto") return asked;
  const std::size_t colon = name.find(':');
  const auto kind = pipeline_kind(name.substr(0, colon));
  if (!kind || (colon != std::string::npos && *kind != PipelineKind::interleaved))
    fail(name, "no order named");
  asked.kinds = {*kind};
  if (colon != std::string::npos) asked.chunks = chunks_of(name, colon);
  return asked;
}

}  // namespace stint
