#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/planner/pipelines/vectors.hpp"

namespace stint {
namespace {

using nlohmann::json;
using Numbers = std::vector<double>;

json cases_of(const std::string& file) {
  std::ifstream stream(STINT_SOURCE_DIR "/tests/planner/" + file);
  return json::parse(stream).at("cases");
}

PipelineKind kind_of(const json& c) {
  static const std::map<std::string, PipelineKind> names{{"GPIPE", PipelineKind::gpipe},
                                                         {"1F1B", PipelineKind::one_f_one_b},
                                                         {"INTERLEAVED", PipelineKind::interleaved},
                                                         {"ZB-H1", PipelineKind::zb_h1},
                                                         {"ZB-H2", PipelineKind::zb_h2}};
  return names.at(c.at("schedule"));
}

Numbers numbers(const json& c, const char* key) {
  return c.contains(key) && !c.at(key).is_null() ? c.at(key).get<Numbers>() : Numbers{};
}

StageSeconds seconds_of(const json& c) {
  return {numbers(c, "tF"), numbers(c, "tB"), numbers(c, "tW"), c.at("comm")};
}

KnownPipeline pipeline_of(const json& c) {
  KnownPipeline known{
      kind_of(c),    c.at("p"),         c.at("m"),           c.at("v"),
      seconds_of(c), numbers(c, "act"), numbers(c, "act_w"), numbers(c, "recompute_keep")};
  known.order = c.at("order").get<std::vector<std::string>>();
  known.makespan = c.at("makespan");
  for (const json& span : c.at("stage_span")) {
    known.first_start.push_back(span.at(0));
    known.last_end.push_back(span.at(1));
  }
  known.busy = numbers(c, "busy");
  known.peak = numbers(c, "peak");
  known.peak_recompute = numbers(c, "peak_recompute");
  return known;
}

KnownSlack slack_of(const json& c) {
  KnownSlack known{kind_of(c), c.at("p"), c.at("m"), seconds_of(c), c.at("makespan")};
  known.start.resize(known.stages);
  known.slack.resize(known.stages);
  for (const json& row : c.at("ops")) {
    known.start[row.at(1).get<int>()].push_back(row.at(2));
    known.slack[row.at(1).get<int>()].push_back(row.at(3));
  }
  return known;
}

double fraction(const std::string& text) {
  const std::size_t line = text.find('/');
  return std::stod(text.substr(0, line)) / std::stod(text.substr(line + 1));
}

KnownPartition partition_of(const json& c) {
  KnownPartition known;
  known.problem.seconds = numbers(c, "t");
  known.problem.output_bytes = numbers(c, "a");
  known.problem.weight_bytes = numbers(c, "w");
  known.problem.bytes_per_second = c.at("B");
  known.problem.workers = c.at("M");
  known.problem.form = c.at("form") == "paper" ? PipeDreamForm::paper : PipeDreamForm::code;
  known.problem.replicates = !c.at("straight").get<bool>();
  known.seconds = fraction(c.at("bottleneck"));
  known.ends = c.at("ends").get<std::vector<int>>();
  known.replicas = c.at("replicas").get<std::vector<int>>();
  return known;
}

KnownBlocks blocks_of(const json& c) {
  return {c.at("cost").get<std::vector<std::int64_t>>(), c.at("k"), c.at("minmax"),
          c.at("ends").get<std::vector<int>>(), c.at("torchgpipe").get<std::vector<int>>()};
}

template <typename Read>
auto all_of(const std::string& file, Read read) {
  std::vector<decltype(read(json{}))> all;
  for (const json& c : cases_of(file)) all.push_back(read(c));
  return all;
}

}  // namespace

std::vector<KnownPipeline> known_pipelines() {
  return all_of("pipelines/pipeline.json", pipeline_of);
}
std::vector<KnownSlack> known_slacks() { return all_of("power/pipeline_slack.json", slack_of); }
std::vector<KnownPartition> known_partitions() {
  return all_of("pipelines/pipedream.json", partition_of);
}
std::vector<KnownBlocks> known_blocks() { return all_of("pipelines/blocks.json", blocks_of); }

}  // namespace stint
