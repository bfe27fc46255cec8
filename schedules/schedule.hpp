// A schedule: every decision about one training step, as data. Which worker does what, in which
// order, at which power state, at which addresses. Reader and writer are in schedule_json.cpp, the
// judge in validate.hpp, the clock and the bill in simulate.hpp.
//
// Names are resolved when a file is read; those that do not resolve are kept in `unresolved` for
// the judge, so that one wrong name does not hide the other faults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/graph.hpp"
#include "models/lowering.hpp"
#include "models/model.hpp"
#include "platforms/names.hpp"
#include "platforms/platform.hpp"

namespace stint {

enum BufferId : int {};  // index into Schedule::buffers
enum ActionId : int {};  // index into Schedule::actions
inline constexpr ActionId no_action{-1};
inline constexpr BufferId no_buffer{-1};

enum class Objective { energy, time, edp, memory };

// The billing window: the step's makespan, its deadline, or a fixed period.
enum class Bill { makespan, deadline, period };

inline constexpr std::int64_t auto_grain = -1;  // in a file: "auto"

// The pipeline whose micro-batches each update the weights; every other one is synchronous.
inline constexpr const char* asynchronous_pipeline = "pipedream";

struct Request {
  Objective objective = Objective::energy;
  std::map<std::string, std::int64_t> memory;  // bound in bytes by memory name
  std::optional<double> deadline_seconds;
  Bill bill = Bill::makespan;
  double period_seconds = 0;  // with Bill::period
  std::int64_t batch = 1;
  std::int64_t microbatches = 1;
  std::int64_t leaves = 1;
  ImageLayout layout = ImageLayout::nhwc;
  // Leaves of a piece, where layers are cut along the batch; 0: whole; or the planner's choice.
  std::int64_t grain = 0;
  std::vector<Shard> shards;  // layers cut across devices
  bool fuse = true;           // layers that can be computed in one go; never changes the bits
  std::string pipeline;       // the order of a pipeline's stages, or auto; empty: none is asked for
  std::int64_t stages = 0;    // of the pipeline; 0: the planner chooses
  std::string strategy = "auto";
  double limit = 10;  // units of deterministic search
  std::int64_t seed = 0;
  bool recompute = true;
  bool offload = true;
};

// One instance of one tensor at a fixed address, or workspace (`no_tensor`). Written by one action,
// or by those that tile it; state is also updated in place.
struct Buffer {
  std::int64_t id = 0;  // in the file; unique
  TensorId tensor = no_tensor;
  MemoryId memory = no_memory;
  std::int64_t offset = 0;  // of the first half, in a double buffer
  std::int64_t bytes = 0;
  bool initial = false;                       // holds its tensor when the step begins
  BufferId within = no_buffer;                // a part, inside its whole's buffer
  std::optional<std::int64_t> second_offset;  // double buffer: the half for odd steps
};

enum class Do { compute, copy, load };
enum class Wait { spin, sleep };

struct Action {
  std::int64_t id = 0;  // in the file; unique
  WorkerId worker = no_worker;
  Do what = Do::compute;
  TaskId task = no_task;          // compute only
  std::vector<BufferId> reads;    // in the order of the task's list
  std::vector<BufferId> writes;   // likewise; no_buffer for an optional output left out
  std::vector<BufferId> updates;  // likewise
  BufferId workspace = no_buffer;
  int state = -1;                       // index into the device's power states; -1: the first
  WorkerId occupies = no_worker;        // copy over a blocking link: the compute worker it holds up
  int for_step = 0;                     // load: 0 this step, 1 the next
  std::vector<ActionId> after;          // what the worker's own order does not imply
  Wait wait = Wait::spin;               // how the worker waits for its turn
  std::optional<double> start_seconds;  // derived: must agree with the simulator
  std::optional<double> seconds;
  std::optional<double> joules;  // marginal
};

// Energy by term, in joules; they sum to the total.
struct JoulesBy {
  double compute = 0;
  double copy = 0;
  double switches = 0;
  double wait = 0;
  double active = 0;
  double idle = 0;
  double memory = 0;
  double base = 0;
  double total() const { return compute + copy + switches + wait + active + idle + memory + base; }
};

struct Proof {
  Objective objective = Objective::energy;
  double value = 0;
  double lower_bound = 0;
  double gap = 0;  // (value − bound) / value
  std::string bound_by;
};

struct Predicted {
  double seconds = 0;
  double joules = 0;
  JoulesBy joules_by;
  Proof objective;
  bool optimal = false;
  std::map<std::string, std::int64_t> peak_bytes;  // live bytes by memory name
  std::int64_t executions = 0;
  std::int64_t recomputed = 0;
  std::int64_t copied_bytes = 0;
  std::string strategy;
  bool interrupted = false;
};

// A name in the file that names nothing.
struct Unresolved {
  std::string where;  // JSON pointer
  std::string fault;  // what is wrong; what was expected
};

struct Schedule {
  std::string stint;  // version of the program that wrote it
  Model model;
  Platform platform;
  std::string model_sha256;
  std::string platform_sha256;
  Request request;
  Lowering lowering;
  Graph graph;  // the lowered model: what actions refer to
  std::string numerics_sha256;
  Predicted predicted;
  std::map<std::string, std::int64_t> arenas;  // bytes by memory name
  std::vector<Buffer> buffers;
  std::vector<Action> actions;  // each worker's list is its actions in this order
  bool pipelined = false;
  std::vector<Unresolved> unresolved;
};

// Reads a "stint-schedule" file; "-" is standard input. Throws InputError if it is not one; whether
// it is a good one is for validate() to say.
Schedule read_schedule(const std::string& path);
Schedule parse_schedule(const std::string& text, const std::string& file);

// The file's text: the same schedule gives the same bytes.
std::string schedule_text(const Schedule& schedule);

// The name of what decides the bits of the result: the model, batch, micro-batches, leaves, layout,
// shards but for heads, and the kernels that are pinned.
std::string numerics_sha256(const std::string& model_sha256, const Request& request,
                            const Lowering& lowering);

std::string to_string(Objective objective);
std::string bill_text(const Request& request);  // as in the file and on the command line
// The reverse; throws InputError(where, …) if it is none.
void set_bill(Request& request, const std::string& text, const std::string& where);

// Names that messages use: `action 3 (F2 on n0/cpu/0)`, `buffer 7 (x2)`.
std::string describe_action(const Schedule& schedule, ActionId action,
                            const std::vector<Worker>& workers);
std::string describe_buffer(const Schedule& schedule, BufferId buffer);

}  // namespace stint
