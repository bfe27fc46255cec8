#include "tests/support/schedule_builder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "files/sha256.hpp"
#include "schedules/layout.hpp"
#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"

namespace stint {

ScheduleBuilder::ScheduleBuilder(const std::string& graph_json, const std::string& platform_json) {
  schedule_.stint = "test";
  schedule_.graph = parse_graph(graph_json, "graph");
  schedule_.model = schedule_.graph;
  schedule_.platform = parse_platform(platform_json, "platform");
}

BufferId ScheduleBuilder::buffer(const std::string& tensor, const std::string& memory,
                                 std::int64_t offset) {
  Buffer buffer;
  buffer.id = static_cast<std::int64_t>(schedule_.buffers.size());
  buffer.tensor = tensors_by_name(schedule_.graph).at(tensor);
  buffer.memory = find_memory(schedule_.platform, memory).value();
  buffer.offset = offset;
  buffer.bytes = schedule_.graph.tensors[buffer.tensor].bytes;
  schedule_.buffers.push_back(buffer);
  return static_cast<BufferId>(buffer.id);
}

BufferId ScheduleBuilder::initial(const std::string& tensor, const std::string& memory,
                                  std::int64_t offset) {
  const BufferId id = buffer(tensor, memory, offset);
  schedule_.buffers[id].initial = true;
  return id;
}

BufferId ScheduleBuilder::part(const std::string& tensor, BufferId whole) {
  const Buffer around = schedule_.buffers[whole];
  const BufferId id = buffer(tensor, memory_name(schedule_.platform, around.memory), 0);
  const Segments parts = segments(schedule_.graph);
  Buffer& inner = schedule_.buffers[id];
  inner.within = whole;
  inner.offset = around.offset + parts.root_offset[inner.tensor] - parts.root_offset[around.tensor];
  return id;
}

BufferId ScheduleBuilder::workspace(std::int64_t bytes, const std::string& memory,
                                    std::int64_t offset) {
  Buffer buffer;
  buffer.id = static_cast<std::int64_t>(schedule_.buffers.size());
  buffer.memory = find_memory(schedule_.platform, memory).value();
  buffer.offset = offset;
  buffer.bytes = bytes;
  schedule_.buffers.push_back(buffer);
  return static_cast<BufferId>(buffer.id);
}

BufferId ScheduleBuilder::pair(const std::string& tensor, const std::string& memory,
                               std::int64_t first, std::int64_t second) {
  const BufferId id = initial(tensor, memory, first);
  schedule_.buffers[id].second_offset = second;
  return id;
}

Action& ScheduleBuilder::add(const std::string& worker, Do what) {
  Action action;
  action.id = static_cast<std::int64_t>(schedule_.actions.size());
  action.worker = workers_by_name(workers(schedule_.platform)).at(worker);
  action.what = what;
  schedule_.actions.push_back(action);
  return schedule_.actions.back();
}

ActionId ScheduleBuilder::compute(const std::string& task, const std::string& worker,
                                  const std::vector<BufferId>& reads,
                                  const std::vector<BufferId>& writes,
                                  const std::vector<ActionId>& after) {
  Action& action = add(worker, Do::compute);
  const auto& tasks = schedule_.graph.tasks;
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& t) { return t.name == task; });
  action.task = static_cast<TaskId>(found - tasks.begin());
  action.reads = reads;
  action.writes = writes;
  action.after = after;
  action.state = 0;
  return static_cast<ActionId>(action.id);
}

ActionId ScheduleBuilder::copy(const std::string& link, BufferId from, BufferId to,
                               const std::vector<ActionId>& after) {
  Action& action = add(link, Do::copy);
  action.reads = {from};
  action.writes = {to};
  action.after = after;
  return static_cast<ActionId>(action.id);
}

ActionId ScheduleBuilder::load(const std::string& worker, BufferId to, int for_step) {
  Action& action = add(worker, Do::load);
  action.writes = {to};
  action.for_step = for_step;
  return static_cast<ActionId>(action.id);
}

Schedule ScheduleBuilder::finish() {
  for (const Buffer& buffer : schedule_.buffers) {
    std::int64_t& arena = schedule_.arenas[memory_name(schedule_.platform, buffer.memory)];
    const std::int64_t size = aligned_bytes(schedule_.platform, buffer.memory, buffer.bytes);
    arena = std::max({arena, buffer.offset + size, buffer.second_offset.value_or(0) + size});
  }
  predict_again(schedule_);
  return schedule_;
}

Graph& model_graph(Schedule& schedule) { return std::get<Graph>(schedule.model); }

void predict_again(Schedule& schedule) {
  schedule.model_sha256 = sha256(model_text(schedule.model));
  schedule.platform_sha256 = sha256(platform_text(schedule.platform));
  schedule.numerics_sha256 =
      numerics_sha256(schedule.model_sha256, schedule.request, schedule.lowering);
  schedule.predicted = predict(schedule, simulate(schedule));
  schedule.predicted.objective.lower_bound = schedule.predicted.objective.value;
  schedule.predicted.objective.gap = 0;
  schedule.predicted.optimal = true;
}

void expect_good(const Schedule& schedule) {
  for (const Violation& violation : validate(schedule)) FAIL_CHECK(to_string(violation));
}

std::vector<int> broken_rules(const Schedule& schedule) {
  std::set<int> rules;
  for (const Violation& violation : validate(schedule)) rules.insert(violation.rule);
  return {rules.begin(), rules.end()};
}

}  // namespace stint
