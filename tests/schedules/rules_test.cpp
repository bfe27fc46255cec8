// For every rule, schedules that break it and no other.
#include <catch2/catch.hpp>
#include <functional>

#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

struct Mutation {
  const char* what;
  int rule;
  std::function<void(TrainingStep&, Schedule&)> apply;
};

std::ostream& operator<<(std::ostream& out, const Mutation& mutation) {
  return out << "R" << mutation.rule << ": " << mutation.what;
}

// Moves the action before another of the file.
void move_before(Schedule& s, int from, int to) {
  const Action moved = s.actions[from];
  s.actions.erase(s.actions.begin() + from);
  s.actions.insert(s.actions.begin() + to, moved);
}

// Repeats a task at the end, on a worker, into a buffer of its own.
Action& repeat(Schedule& s, ActionId action, std::int64_t offset) {
  Action again = s.actions[action];
  again.id = static_cast<std::int64_t>(s.actions.size());
  for (BufferId& written : again.writes) {
    Buffer copy = s.buffers[written];
    copy.id = static_cast<std::int64_t>(s.buffers.size());
    copy.offset = offset;
    copy.within = no_buffer;
    written = static_cast<BufferId>(s.buffers.size());
    s.buffers.push_back(copy);
  }
  s.actions.push_back(again);
  s.arenas["n0/ram"] = 64;
  return s.actions.back();
}

// Faults after which nothing can be simulated.
const std::vector<Mutation> unsound = {
    {"waits for an action that is not there", 1,
     [](auto& t, auto& s) { s.actions[t.g].after = {ActionId{99}}; }},
    {"reads a buffer that is not there", 1,
     [](auto& t, auto& s) { s.actions[t.g].reads = {BufferId{99}}; }},
    {"a worker that is not there", 1,
     [](auto& t, auto& s) { s.actions[t.g].worker = WorkerId{99}; }},
    {"a power state that is not there", 1, [](auto& t, auto& s) { s.actions[t.g].state = 7; }},
    {"two actions with one id", 1, [](auto& t, auto& s) { s.actions[t.g].id = 0; }},
    {"two buffers with one id", 1, [](auto& t, auto& s) { s.buffers[t.b].id = 0; }},
    {"an arena of a memory that is not there", 1, [](auto&, auto& s) { s.arenas["n0/flash"] = 0; }},
    {"a name that the reader could not resolve", 1,
     [](auto&, auto& s) {
       s.unresolved.push_back({"/actions/0/worker", "no worker"});
     }},

    {"the first action waits for the last", 2,
     [](auto& t, auto& s) { s.actions[t.f0].after = {t.v}; }},
    {"an action waits for itself", 2, [](auto& t, auto& s) { s.actions[t.g].after = {t.g}; }},
    {"two workers wait for each other", 2, [](auto& t, auto& s) { s.actions[t.f1].after = {t.h}; }},

    {"buffers in another order than the task's", 4,
     [](auto& t, auto& s) {
       s.actions[t.f0].reads = {t.w, t.image};
     }},
    {"a buffer too few", 4, [](auto& t, auto& s) { s.actions[t.d].reads = {t.gc}; }},
    {"a buffer too many", 4,
     [](auto& t, auto& s) {
       s.actions[t.h].writes = {t.c, t.c};
     }},
    {"an output left out that is not optional", 4,
     [](auto& t, auto& s) {
       s.actions[t.g].writes = {no_buffer, t.tape};
     }},
    {"no update where the task has one", 4, [](auto& t, auto& s) { s.actions[t.u].updates = {}; }},
    {"no workspace where the task needs some", 4,
     [](auto& t, auto& s) { s.actions[t.f0].workspace = no_buffer; }},
    {"too little workspace", 4, [](auto& t, auto& s) { s.buffers[t.workspace].bytes = 1; }},
    {"a tensor as workspace", 4, [](auto& t, auto& s) { s.actions[t.f0].workspace = t.gw; }},
    {"a copy between different tensors", 4,
     [](auto& t, auto& s) { s.actions[t.c_out].writes = {t.gc_gpu}; }},
    {"a copy on a compute worker", 4,
     [](auto& t, auto& s) { s.actions[t.c_out].worker = s.actions[t.f0].worker; }},
    {"a copy that occupies a worker though its link is not blocking", 4,
     [](auto& t, auto& s) { s.actions[t.c_out].occupies = s.actions[t.f0].worker; }},
    {"a task on a link", 4,
     [](auto& t, auto& s) { s.actions[t.v].worker = s.actions[t.c_out].worker; }},

    {"a task on a device that does not reach its buffers", 5,
     [](auto& t, auto& s) { s.actions[t.g].worker = s.actions[t.l].worker; }},
    {"a copy over the link of the other direction", 5,
     [](auto& t, auto& s) { s.actions[t.c_out].worker = s.actions[t.gc_back].worker; }},
    {"workspace in another memory", 5,
     [](auto& t, auto& s) {
       s.buffers[t.workspace].memory = MemoryId{1};
       s.buffers[t.workspace].offset = 0;
     }},

    {"fewer bytes than the tensor", 6, [](auto& t, auto& s) { s.buffers[t.gw].bytes = 3; }},
    {"more bytes than the tensor", 6, [](auto& t, auto& s) { s.buffers[t.gw].bytes = 5; }},
    {"an offset that is not aligned", 6, [](auto& t, auto& s) { s.buffers[t.norm].offset = 42; }},
    {"a negative offset", 6, [](auto& t, auto& s) { s.buffers[t.norm].offset = -4; }},
    {"an offset near the end of all numbers", 6,
     [](auto& t, auto& s) { s.buffers[t.norm].offset = INT64_MAX - 3; }},
    {"bytes near the end of all numbers", 6,
     [](auto& t, auto& s) { s.buffers[t.workspace].bytes = INT64_MAX; }},
    {"a buffer that ends outside its arena", 6,
     [](auto& t, auto& s) { s.buffers[t.norm].offset = 48; }},
    {"a part at another place than in its whole", 6,
     [](auto& t, auto& s) { s.buffers[t.a1].offset = 12; }},
    {"a part within a buffer that is not its whole", 6,
     [](auto& t, auto& s) { s.buffers[t.a1].within = t.tape; }},
    {"buffers within each other", 6, [](auto& t, auto& s) { s.buffers[t.a].within = t.a1; }},
    {"a part that claims to be initial", 6,
     [](auto& t, auto& s) { s.buffers[t.a1].initial = true; }},

    {"an arena larger than its memory", 7, [](auto&, auto& s) { s.arenas["n0/ram"] = 68; }},
    {"an arena larger than was asked for", 7,
     [](auto&, auto& s) { s.request.memory["n0/ram"] = 44; }},
    {"no arena for a memory with buffers", 7, [](auto&, auto& s) { s.arenas.erase("n0/hbm"); }},
};

// Faults that leave something to simulate; the prediction is made anew, so that it is right.
const std::vector<Mutation> wrong = {
    {"a graph that is not the model's", 3,
     [](auto&, auto& s) { model_graph(s).tasks[0].workspace_bytes = 1; }},
    {"a model with another time", 3,
     [](auto&, auto& s) { model_graph(s).tasks[3].seconds["cpu"] = 9; }},
    {"micro-batches of a graph of tasks", 3,
     [](auto&, auto& s) { s.lowering.microbatches = s.request.microbatches = 2; }},
    {"another batch than asked for", 3, [](auto&, auto& s) { s.request.batch = 2; }},
    {"other leaves than asked for", 3, [](auto&, auto& s) { s.request.leaves = 2; }},
    {"another layout than asked for", 3,
     [](auto&, auto& s) { s.request.layout = ImageLayout::nchw; }},
    {"a layout of a graph of tasks", 3,
     [](auto&, auto& s) { s.lowering.layout = s.request.layout = ImageLayout::nchw; }},
    {"a cut of a graph of tasks", 3,
     [](auto&, auto& s) {
       s.lowering.cuts = {{"F0", 1}};
     }},

    {"a task on a device that cannot run it", 4,
     [](auto&, auto& s) {
       model_graph(s).tasks[3].seconds = s.graph.tasks[3].seconds = {{"tpu", 1.0}};
     }},

    {"a buffer written twice", 8,
     [](auto& t, auto& s) { repeat(s, t.v, 48).writes = {t.norm}, s.buffers.pop_back(); }},
    {"an activation that is there from the start", 8,
     [](auto& t, auto& s) { s.buffers[t.norm].initial = true; }},
    {"a buffer that nobody writes", 8,
     [](auto& t, auto& s) {
       s.buffers.push_back(s.buffers[t.norm]);
       s.buffers.back().id = 77;
       s.buffers.back().offset = 48;
       s.arenas["n0/ram"] = 52;
     }},
    {"workspace used by two actions", 8,
     [](auto& t, auto& s) { s.actions[t.v].workspace = t.workspace; }},

    {"a read that does not wait for its writer", 9,
     [](auto& t, auto& s) { s.actions[t.v].after = {}; }},
    {"a read across a copy that does not wait", 9,
     [](auto& t, auto& s) {
       s.actions[t.l].after = {};
       s.actions[t.gc_back].after = {t.l, t.c_out};
     }},
    {"a read of a whole of which one part is late", 9,
     [](auto& t, auto& s) {
       s.actions[t.g].after = {};
       s.actions[t.h].after = {t.f1};
     }},
    {"a read before its write in the order of the worker", 9,
     [](auto& t, auto& s) { move_before(s, t.u, t.d); }},

    {"a buffer over another that is still needed", 10,
     [](auto& t, auto& s) { s.buffers[t.gc].offset = 32; }},
    {"a buffer over one that another worker may still read", 10,
     [](auto& t, auto& s) {
       s.buffers[t.norm].offset = 40;
       s.actions[t.v].reads = {t.w};
       Action& late = repeat(s, t.d, 48);
       late.worker = s.actions[t.v].worker;
       late.after = {t.gc_back};
       std::swap(s.actions[t.v], s.actions.back());
       s.buffers[t.norm].offset = 32;  // over the tape, which D reads again meanwhile
       s.actions.back().worker = s.actions[t.f0].worker;
       s.actions.back().after = {};
     }},
    {"a buffer over state", 10, [](auto& t, auto& s) { s.buffers[t.norm].offset = 8; }},
    {"two buffers in one place from the start", 10,
     [](auto& t, auto& s) { s.buffers[t.image].offset = 4; }},
    {"state updated while another worker may read it", 10,
     [](auto& t, auto& s) {
       Action late = repeat(s, t.f1, 48);
       s.actions.pop_back();
       s.actions.insert(s.actions.begin() + t.u, late);  // on the second worker, before V
       s.actions.back().after = {ActionId{t.u + 1}};
     }},

    {"workspace over an output", 11, [](auto& t, auto& s) { s.buffers[t.workspace].offset = 12; }},
    {"workspace over an input", 11, [](auto& t, auto& s) { s.buffers[t.workspace].offset = 4; }},
    {"an output over an input without permission", 11,
     [](auto&, auto& s) {
       model_graph(s).tasks[3].may_overwrite = s.graph.tasks[3].may_overwrite = {};
     }},
    {"an output over a part of the input that it may replace", 11,
     [](auto& t, auto& s) {
       s.buffers[t.tape].offset = 48;
       s.buffers[t.c].offset = 28;
       s.arenas["n0/ram"] = 56;
     }},

    {"a task that is never executed", 12,
     [](auto&, auto& s) {
       s.actions.pop_back();
       s.buffers.pop_back();
     }},

    {"a reader of updated state before the update", 13,
     [](auto& t, auto& s) {
       move_before(s, t.v, t.u);
       s.actions[t.u].after = {t.d};            // V
       s.actions[t.v].after = {ActionId{t.u}};  // U, now the last
     }},
    {"a recomputation after the state has changed", 13,
     [](auto& t, auto& s) { repeat(s, t.f1, 48).after = {t.u}; }},

    {"a result that something overwrites", 15,
     [](auto& t, auto& s) {
       Buffer over = s.buffers[t.c_gpu];
       over.id = 50;
       over.offset = 8;
       Action again = s.actions[t.c_out];
       again.id = 50;
       again.after = {t.gc_back};
       again.writes = {static_cast<BufferId>(s.buffers.size())};
       s.buffers.push_back(over);
       s.actions.push_back(again);
     }},

    {"an input that is in two places from the start", 16,
     [](auto& t, auto& s) {
       s.buffers.push_back(s.buffers[t.image]);
       s.buffers.back().id = 50;
       s.buffers.back().memory = MemoryId{1};
       s.buffers.back().offset = 24;
       s.arenas["n0/hbm"] = 32;
     }},

    {"a double buffer of an activation", 17,
     [](auto& t, auto& s) {
       s.buffers[t.norm].second_offset = 48;
       s.arenas["n0/ram"] = 52;
     }},
    {"running ahead without stages that do", 17, [](auto&, auto& s) { s.pipelined = true; }},

    {"a state that cannot be set", 18, [](auto& t, auto& s) { s.actions[t.l].state = 1; }},
    {"two states at once on one device", 18, [](auto& t, auto& s) { s.actions[t.f1].state = 1; }},
    {"two states in a run that can have one", 18,
     [](auto& t, auto& s) {
       s.platform.devices[0].settable = Settable::run;
       s.actions[t.h].state = 1;
     }},

    {"a step longer than its deadline", 19,
     [](auto&, auto& s) { s.request.deadline_seconds = 5.0; }},
    {"a step longer than its period", 19,
     [](auto&, auto& s) { s.request.bill = Bill::period, s.request.period_seconds = 5.0; }},
    {"billed to a deadline that is not there", 19,
     [](auto&, auto& s) { s.request.bill = Bill::deadline; }},
    {"recomputation that was not wanted", 19,
     [](auto& t, auto& s) {
       s.request.recompute = false;
       repeat(s, t.v, 48);
     }},
    {"offloading that was not wanted", 19,
     [](auto& t, auto& s) {
       s.request.offload = false;
       Action back = s.actions[t.gc_back];
       back.id = 50;
       back.reads = {t.c_gpu};
       back.writes = {static_cast<BufferId>(s.buffers.size())};
       s.buffers.push_back(s.buffers[t.c]);
       s.buffers.back().id = 50;
       s.buffers.back().offset = 48;
       s.arenas["n0/ram"] = 56;
       s.actions.push_back(back);
     }},
};

// Faults in what the file says of itself.
const std::vector<Mutation> untrue = {
    {"another model's hash", 3, [](auto&, auto& s) { s.model_sha256[0] ^= 1; }},
    {"another platform's hash", 3, [](auto&, auto& s) { s.platform_sha256.clear(); }},
    {"an asynchronous pipeline that was not made", 3,
     [](auto&, auto& s) { s.request.pipeline = "pipedream"; }},
    {"other numerics", 3, [](auto&, auto& s) { s.numerics_sha256[5] ^= 1; }},
    {"other seconds", 20, [](auto&, auto& s) { s.predicted.seconds *= 1 + 1e-8; }},
    {"other joules", 20, [](auto&, auto& s) { s.predicted.joules *= 1 - 1e-8; }},
    {"joules under another name", 20,
     [](auto&, auto& s) { std::swap(s.predicted.joules_by.base, s.predicted.joules_by.idle); }},
    {"switches that are not there", 20, [](auto&, auto& s) { s.predicted.joules_by.switches = 1; }},
    {"a lower peak", 20, [](auto&, auto& s) { s.predicted.peak_bytes["n0/ram"] -= 4; }},
    {"a peak left out", 20, [](auto&, auto& s) { s.predicted.peak_bytes.erase("n0/hbm"); }},
    {"fewer executions", 20, [](auto&, auto& s) { --s.predicted.executions; }},
    {"a recomputation that is not there", 20, [](auto&, auto& s) { ++s.predicted.recomputed; }},
    {"fewer bytes copied", 20, [](auto&, auto& s) { s.predicted.copied_bytes = 0; }},
    {"another objective than asked for", 20,
     [](auto&, auto& s) { s.predicted.objective.objective = Objective::time; }},
    {"another value", 20, [](auto&, auto& s) { s.predicted.objective.value *= 2; }},
    {"another start", 21, [](auto& t, auto& s) { s.actions[t.g].start_seconds = 1.5; }},
    {"another duration", 21, [](auto& t, auto& s) { s.actions[t.c_out].seconds = 1; }},
    {"other joules of an action", 21, [](auto& t, auto& s) { s.actions[t.l].joules = 0; }},
    {"a bound above the value", 22,
     [](auto&, auto& s) {
       s.predicted.objective.lower_bound *= 2;
       s.predicted.objective.gap = -1;
     }},
    {"a gap that is not the gap", 22, [](auto&, auto& s) { s.predicted.objective.gap = 0.5; }},
    {"optimal with a gap", 22,
     [](auto&, auto& s) {
       s.predicted.objective.lower_bound /= 2;
       s.predicted.objective.gap = 0.5;
     }},
};

void expect_only(int rule, const Schedule& schedule) {
  for (const Violation& violation : validate(schedule)) UNSCOPED_INFO(to_string(violation));
  CHECK(broken_rules(schedule) == std::vector<int>{rule});
}

}  // namespace

TEST_CASE("a training step with every feature breaks no rule", "[rules]") {
  for (const Violation& violation : validate(training_step())) FAIL_CHECK(to_string(violation));
}

TEST_CASE("a fault that leaves nothing to simulate is named by its rule", "[rules]") {
  const Mutation mutation = GENERATE(from_range(unsound));
  CAPTURE(mutation);
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  mutation.apply(step, schedule);
  expect_only(mutation.rule, schedule);
}

TEST_CASE("a fault in what is done is named by its rule", "[rules]") {
  const Mutation mutation = GENERATE(from_range(wrong));
  CAPTURE(mutation);
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  mutation.apply(step, schedule);
  predict_again(schedule);
  expect_only(mutation.rule, schedule);
}

TEST_CASE("a fault in what the file says of itself is named by its rule", "[rules]") {
  const Mutation mutation = GENERATE(from_range(untrue));
  CAPTURE(mutation);
  TrainingStep step;
  Schedule schedule = step.builder.finish();
  mutation.apply(step, schedule);
  expect_only(mutation.rule, schedule);
}
