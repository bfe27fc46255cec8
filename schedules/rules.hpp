// The judge's rules, one function each; for validate.cpp and the rules_*.cpp files only. The rules
// are written out in schedules/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/input_error.hpp"
#include "schedules/contents.hpp"
#include "schedules/happens_before.hpp"
#include "schedules/lanes.hpp"
#include "schedules/layout.hpp"
#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"

namespace stint {

// What all rules look at, and where they report.
struct Judge {
  const Schedule& schedule;
  std::vector<Worker> workers;
  std::vector<Violation>& violations;
  const Graph* lowered = nullptr;  // what the model lowers to, where that is known

  void report(int rule, std::string where, std::string what) const {
    violations.push_back({rule, std::move(where), std::move(what)});
  }
  std::string action(ActionId id) const { return describe_action(schedule, id, workers); }
  std::string buffer(BufferId id) const { return describe_buffer(schedule, id); }
  const std::string& tensor(TensorId id) const { return schedule.graph.tensors[id].name; }
  Kind kind(BufferId id) const {
    const TensorId held = schedule.buffers[id].tensor;
    return held == no_tensor ? Kind::activation : schedule.graph.tensors[held].kind;
  }
  std::string version(int version) const {
    if (version == initial_version) return "as it was before the step";
    return "as updated by " + schedule.graph.tasks[version].name;
  }
  std::string memory(MemoryId id) const { return memory_name(schedule.platform, id); }
};

std::string action_path(ActionId id, const std::string& key = "");
std::string buffer_path(BufferId id, const std::string& key = "");

bool same_number(double a, double b, double scale = 0);  // equal to 1e-9

void judge_names(const Judge& judge);                              // R1
void judge_order(const Judge& judge, const Lanes& lanes);          // R2
void judge_graph(const Judge& judge);                              // R3
void judge_actions(const Judge& judge);                            // R4
void judge_places(const Judge& judge);                             // R5
void judge_buffers(const Judge& judge, const Layout& layout);      // R6
void judge_arenas(const Judge& judge);                             // R7
Contents judge_contents(const Judge& judge, const Layout& layout,  // R8 to R11, R13,
                        const StateVersions& versions,             // R17
                        const HappensBefore& before, const std::vector<ActionId>& order);
void judge_step_end(const Judge& judge, const Layout& layout,  // R8, R14 to R17
                    const StateVersions& versions, const Contents& contents);
void judge_executions(const Judge& judge);                       // R12
void judge_double_buffers(const Judge& judge);                   // R17
void judge_power_states(const Judge& judge, const Lanes& lanes,  // R18
                        const HappensBefore& before);
void judge_request(const Judge& judge, const Simulation& simulation);         // R19
void judge_predicted(const Judge& judge, const Simulation& simulation);       // R20
void judge_derived_fields(const Judge& judge, const Simulation& simulation);  // R21
void judge_proof(const Judge& judge, const Simulation& simulation);           // R22

}  // namespace stint
