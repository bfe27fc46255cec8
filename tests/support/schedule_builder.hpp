// Puts good schedules together in a few readable lines, for tests that then break them. Buffers and
// actions are named by what stands in graph and platform; `finish` adds all that follows: hashes,
// arenas that just fit, and what the simulator predicts.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

class ScheduleBuilder {
 public:
  // Both as the text of their files.
  ScheduleBuilder(const std::string& graph_json, const std::string& platform_json);

  BufferId buffer(const std::string& tensor, const std::string& memory, std::int64_t offset);
  BufferId initial(const std::string& tensor, const std::string& memory, std::int64_t offset);
  BufferId part(const std::string& tensor, BufferId whole);  // at its place within the whole
  BufferId workspace(std::int64_t bytes, const std::string& memory, std::int64_t offset);
  BufferId pair(const std::string& tensor, const std::string& memory, std::int64_t first,
                std::int64_t second);  // an initial double buffer

  // `reads`, `writes` and `updates` in the order of the task's lists.
  ActionId compute(const std::string& task, const std::string& worker,
                   const std::vector<BufferId>& reads, const std::vector<BufferId>& writes,
                   const std::vector<ActionId>& after = {});
  ActionId copy(const std::string& link, BufferId from, BufferId to,
                const std::vector<ActionId>& after = {});
  ActionId load(const std::string& worker, BufferId to, int for_step = 0);

  Action& action(ActionId id) { return schedule_.actions[id]; }
  Schedule& schedule() { return schedule_; }

  Schedule finish();

 private:
  Action& add(const std::string& worker, Do what);

  Schedule schedule_;
};

// The model of a schedule that is made of tasks.
Graph& model_graph(Schedule& schedule);

// What follows from the rest: hashes, prediction, and a proof with the value as its bound.
void predict_again(Schedule& schedule);

// Fails the running test with every violation that the schedule has.
void expect_good(const Schedule& schedule);

// The rules that the schedule breaks, each once, ascending.
std::vector<int> broken_rules(const Schedule& schedule);

}  // namespace stint
