#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "files/input_error.hpp"
#include "platforms/names.hpp"
#include "schedules/numerics.hpp"
#include "schedules/validate.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

const std::string schema = STINT_SOURCE_DIR "/schedules/stint-schedule.schema.json";

const std::string& offloaded() {
  static const std::string text = schedule_text(chain_offloaded());
  return text;
}

// The chain that goes by the disk, once `from` is replaced where it first stands after `anchor`.
std::string replaced(const std::string& from, const std::string& to,
                     const std::string& anchor = "") {
  std::string text = offloaded();
  CAPTURE(anchor, from);
  const auto start = text.find(anchor);
  REQUIRE(start != std::string::npos);
  const auto at = text.find(from, start);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string fault_of(const std::string& text) {
  try {
    parse_schedule(text, "s.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// What the reader says of a file whose shape is wrong, so that the schema refuses it as well.
std::string shape_fault(const std::string& from, const std::string& to,
                        const std::string& anchor = "") {
  const std::string text = replaced(from, to, anchor);
  CAPTURE(from, to, anchor);
  CHECK_FALSE(schema_fault(schema, text).empty());
  return fault_of(text);
}

// The one name that does not resolve, as `where: fault`. Its file has a sound shape.
std::string unresolved(const std::string& from, const std::string& to,
                       const std::string& anchor = "") {
  const std::string text = replaced(from, to, anchor);
  CHECK(schema_fault(schema, text) == "");
  const Schedule schedule = parse_schedule(text, "s.json");
  REQUIRE(schedule.unresolved.size() == 1);
  const auto violations = validate(schedule);
  REQUIRE(violations.size() >= 1);
  CHECK(violations.front().rule == 1);
  return schedule.unresolved.front().where + ": " + schedule.unresolved.front().fault;
}

void require_round_trip(const Schedule& schedule) {
  const std::string text = schedule_text(schedule);
  const Schedule again = parse_schedule(text, "s.json");
  CHECK(again.unresolved.empty());
  CHECK(schedule_text(again) == text);
  CHECK(schema_fault(schema, text) == "");
  CHECK(validate(again).empty());
}

const std::string first_buffer = "\"buffers\": [";
const std::string first_action = "\"actions\": [";
const std::string copy_action = "\"do\": \"copy\"";

}  // namespace

TEST_CASE("schedules come back from their text, which conforms to the schema", "[schedule_json]") {
  require_round_trip(chain_kept_whole());
  require_round_trip(chain_recomputed());
  require_round_trip(chain_offloaded());
  require_round_trip(training_step());
}

TEST_CASE("order of keys and white space of a file do not matter", "[schedule_json]") {
  const std::string sorted = nlohmann::json::parse(offloaded()).dump(3);
  REQUIRE(sorted != offloaded());
  REQUIRE(schedule_text(parse_schedule(sorted, "s.json")) == offloaded());
}

TEST_CASE("a schedule is read field by field", "[schedule_json]") {
  const Schedule expected = chain_offloaded();
  const Schedule schedule = parse_schedule(offloaded(), "s.json");
  CHECK(schedule.stint == "0.1.0");
  CHECK(schedule.model == expected.model);
  CHECK(schedule.graph == expected.graph);
  CHECK(schedule.platform == expected.platform);
  CHECK(schedule.request.memory == expected.request.memory);
  CHECK(schedule.predicted.joules_by.copy == 4);
  CHECK(schedule.predicted.peak_bytes == expected.predicted.peak_bytes);
  CHECK(schedule.arenas == expected.arenas);
  REQUIRE(schedule.actions.size() == 13);
  const Action& copy = schedule.actions[1];
  CHECK(copy.what == Do::copy);
  CHECK(copy.reads == std::vector{BufferId{1}});
  CHECK(copy.writes == std::vector{BufferId{6}});
  CHECK(copy.after == std::vector{ActionId{0}});
  CHECK(copy.start_seconds == 1.0);
  CHECK(copy.joules == 2.0);
  CHECK(schedule.actions[0].task == TaskId{0});
  CHECK(schedule.actions[0].state == 0);
  CHECK(schedule.buffers[0].initial);
  CHECK(schedule.buffers[6].memory == MemoryId{1});
}

TEST_CASE("every optional field of buffers and actions comes back", "[schedule_json]") {
  Schedule schedule = chain_kept_whole();
  schedule.pipelined = true;
  schedule.lowering.pipelined = {"conv1", "fc1"};
  schedule.lowering.fuse = true;
  schedule.lowering.post_ops = {"add", "gelu"};
  schedule.predicted.interrupted = true;
  schedule.request.deadline_seconds = 12.5;
  schedule.request.bill = Bill::period;
  schedule.request.period_seconds = 0.1;
  schedule.buffers[1].second_offset = 9;
  schedule.buffers[2].within = BufferId{1};
  Action& first = schedule.actions[0];
  first.wait = Wait::sleep;
  first.state = -1;
  first.updates = {BufferId{0}};
  first.workspace = BufferId{3};
  first.writes = {no_buffer};
  Action load;
  load.id = 1;
  load.worker = WorkerId{0};
  load.what = Do::load;
  load.writes = {BufferId{0}};
  load.for_step = 1;
  schedule.actions[1] = load;
  schedule.actions[2].what = Do::copy;
  schedule.actions[2].occupies = WorkerId{0};

  const std::string text = schedule_text(schedule);
  CHECK(schema_fault(schema, text) == "");
  const Schedule again = parse_schedule(text, "s.json");
  CHECK(schedule_text(again) == text);
  CHECK(again.pipelined);
  CHECK(again.lowering.pipelined == schedule.lowering.pipelined);
  CHECK(again.lowering.fuse);
  CHECK(again.lowering.post_ops == schedule.lowering.post_ops);
  CHECK(again.predicted.interrupted);
  CHECK(again.request.deadline_seconds == 12.5);
  CHECK(again.request.bill == Bill::period);
  CHECK(again.request.period_seconds == 0.1);
  CHECK(again.buffers[1].second_offset == 9);
  CHECK(again.buffers[2].within == BufferId{1});
  CHECK(again.actions[0].wait == Wait::sleep);
  CHECK(again.actions[0].state == -1);
  CHECK(again.actions[0].updates == std::vector{BufferId{0}});
  CHECK(again.actions[0].workspace == BufferId{3});
  CHECK(again.actions[0].writes == std::vector{no_buffer});
  CHECK(again.actions[1].for_step == 1);
  CHECK_FALSE(again.actions[1].seconds);
  CHECK(again.actions[2].occupies == WorkerId{0});
}

TEST_CASE("ids of a file need not be positions", "[schedule_json]") {
  Schedule schedule = chain_kept_whole();
  for (Buffer& buffer : schedule.buffers) buffer.id = 1000 - 3 * buffer.id;
  for (Action& action : schedule.actions) action.id = -action.id;
  require_round_trip(schedule);
}

TEST_CASE("numbers come back to the last bit", "[schedule_json]") {
  Schedule schedule = chain_kept_whole();
  const double number = GENERATE(0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 1e22, 123456789.125);
  schedule.actions[0].joules = number;
  schedule.predicted.objective.value = number;
  const Schedule again = parse_schedule(schedule_text(schedule), "s.json");
  REQUIRE(again.actions[0].joules == number);
  REQUIRE(again.predicted.objective.value == number);
}

TEST_CASE("a key that is missing is named", "[schedule_json]") {
  const std::string key =
      GENERATE("stint", "model_sha256", "lowering", "arenas", "objective", "bill", "leaves",
               "offload", "joules_by", "lower_bound", "copied_bytes");
  const std::string text = replaced('"' + key + "\":", "\"unknown\":");
  REQUIRE_FALSE(schema_fault(schema, text).empty());
  REQUIRE(fault_of(text).find("unknown key \"unknown\"; expected only ") != std::string::npos);
}

TEST_CASE("faults of the shape say where, what and what was expected", "[schedule_json]") {
  CHECK(shape_fault("\"version\": 1", "\"version\": 2") ==
        "s.json: /version: 2; expected a whole number from 1 to 1");
  CHECK(shape_fault("\"cuts\":[]", "\"cuts\":[{\"layer\":\"a\",\"leaves\":0}]") ==
        "s.json: /lowering/cuts/0/leaves: 0; expected a whole number of at least 1");
  CHECK(shape_fault("\"batch\":1", "\"batch\":0") ==
        "s.json: /request/batch: 0; expected a whole number of at least 1");
  CHECK(shape_fault("\"objective\":\"energy\"", "\"objective\":\"joy\"") ==
        "s.json: /request/objective: unknown word \"joy\"; expected one of energy, time, edp, "
        "memory");
  CHECK(shape_fault("\"makespan\"", "\"monthly\"") ==
        "s.json: /request/bill: the bill \"monthly\"; expected makespan, deadline or "
        "period=SECONDS above 0");
  CHECK(shape_fault("\"optimal\":false", "\"optimal\":0") ==
        "s.json: /predicted/optimal: a number; expected true or false");
  CHECK(shape_fault("\"offset\": 0", "\"offset\": \"0\"", first_buffer) ==
        "s.json: /buffers/0/offset: a text; expected a whole number of at least "
        "-9223372036854775808");
  CHECK(shape_fault("\"offset\": 0", "\"offset\": 0, \"offsets\": [0, 1]", first_buffer) ==
        "s.json: /buffers/0: both offset and offsets; expected one of them");
  CHECK(shape_fault("\"offset\": 0", "\"offsets\": [0]", first_buffer) ==
        "s.json: /buffers/0/offsets: not two numbers; expected [a, b]");
  CHECK(shape_fault("\"initial\": true", "\"initial\": null", first_buffer) ==
        "s.json: /buffers/0/initial: null; expected true or false");
  CHECK(shape_fault("\"compute\"", "\"think\"", first_action) ==
        "s.json: /actions/0/do: unknown word \"think\"; expected one of compute, copy, load");
  CHECK(shape_fault("\"reads\": [0]", "\"reads\": [null]", first_action) ==
        "s.json: /actions/0/reads/0: null; expected a whole number of at least "
        "-9223372036854775808");
  CHECK(shape_fault("\"reads\": [0]", "\"reads\": 0", first_action) ==
        "s.json: /actions/0/reads: a number; expected a list");
  CHECK(shape_fault("\"wait\": \"spin\"", "\"wait\": \"pray\"", first_action) ==
        "s.json: /actions/0/wait: unknown word \"pray\"; expected one of spin, sleep");
}

TEST_CASE("keys of another kind of action are refused", "[schedule_json]") {
  const std::string extra =
      GENERATE("\"task\": \"F0\", ", "\"wait\": \"spin\", ", "\"for_step\": 0, ",
               "\"state\": \"2.8GHz\", ", "\"workspace\": null, ", "\"updates\": [], ");
  CHECK(shape_fault(copy_action, extra + copy_action).find("/actions/1: unknown key") !=
        std::string::npos);
  const std::string compute = "\"do\": \"compute\"";
  CHECK(shape_fault(compute, "\"for_step\": 0, " + compute).find("\"for_step\"") !=
        std::string::npos);
  CHECK(shape_fault(compute, "\"occupies\": \"n0/cpu/0\", " + compute).find("\"occupies\"") !=
        std::string::npos);
}

TEST_CASE("whole numbers beyond 64 bits are refused, those within are for the judge",
          "[schedule_json]") {
  const std::string anchor = first_buffer;
  CHECK(fault_of(replaced("\"bytes\": 1", "\"bytes\": 9223372036854775808", anchor)) != "");
  CHECK(fault_of(replaced("\"bytes\": 1", "\"bytes\": 1e3", anchor)) != "");
  CHECK(fault_of(replaced("\"bytes\": 1", "\"bytes\": -1", anchor)) == "");
  CHECK(fault_of(replaced("\"offset\": 0", "\"offset\": 9223372036854775807", anchor)) == "");
}

TEST_CASE("a deadline to be billed must be there", "[schedule_json]") {
  CHECK(fault_of(replaced("\"makespan\"", "\"deadline\"")) ==
        "s.json: /request/bill: billed to the deadline, and there is none; expected "
        "deadline_seconds");
}

TEST_CASE("faults of what a schedule embeds are found where they stand", "[schedule_json]") {
  CHECK(fault_of(replaced("\"bytes\":1,", "\"bytes\":-1,", "\"graph\": "))
            .find("s.json: /graph/tensors/0/bytes: ") == 0);
  CHECK(fault_of(replaced("\"workers\": 1", "\"workers\": 0")).find("s.json: /platform/") == 0);
}

TEST_CASE("names that name nothing are left to the judge, one by one", "[schedule_json]") {
  CHECK(unresolved("\"n0/cpu/0\"", "\"n0/cpu/7\"", first_action) ==
        "/actions/0/worker: no worker named \"n0/cpu/7\"; expected one that exists");
  CHECK(unresolved("\"task\": \"F0\"", "\"task\": \"F9\"", first_action) ==
        "/actions/0/task: no task named \"F9\"; expected one that exists");
  CHECK(unresolved("\"state\": \"2.8GHz\"", "\"state\": \"9GHz\"", first_action) ==
        "/actions/0/state: n0/cpu/0 has no power state \"9GHz\"; expected one of its device");
  CHECK(unresolved("\"reads\": [0]", "\"reads\": [99]", first_action) ==
        "/actions/0/reads/0: no buffer has the id 99; expected one that exists");
  CHECK(unresolved("\"workspace\": null", "\"workspace\": 99", first_action) ==
        "/actions/0/workspace: no buffer has the id 99; expected one that exists");
  CHECK(unresolved("\"after\": [0]", "\"after\": [77]", copy_action) ==
        "/actions/1/after/0: no action has the id 77; expected one that exists");
  CHECK(unresolved("\"after\"", "\"occupies\": \"n9/cpu/0\", \"after\"", copy_action) ==
        "/actions/1/occupies: no worker named \"n9/cpu/0\"; expected one that exists");
  CHECK(unresolved("\"tensor\": \"x0\"", "\"tensor\": \"x9\"", first_buffer) ==
        "/buffers/0/tensor: no tensor named \"x9\"; expected one that exists");
  CHECK(unresolved("\"memory\": \"n0/ram\"", "\"memory\": \"n0/rom\"", first_buffer) ==
        "/buffers/0/memory: no memory named \"n0/rom\"; expected one that exists");
  CHECK(unresolved("\"bytes\": 1", "\"bytes\": 1, \"within\": 99", first_buffer) ==
        "/buffers/0/within: no buffer has the id 99; expected one that exists");
  CHECK(unresolved("\"memory\":{\"n0/ram\"", "\"memory\":{\"n0/rom\"") ==
        "/request/memory/n0~1rom: no memory named \"n0/rom\"; expected one of the platform");
  CHECK(unresolved("\"arenas\": {\"n0/disk\"", "\"arenas\": {\"n0/dusk\"") ==
        "/arenas/n0~1dusk: no memory named \"n0/dusk\"; expected one of the platform");
  CHECK(
      unresolved("\"peak_bytes\":{\"n0/disk\"", "\"peak_bytes\":{\"n0/dusk\"") ==
      "/predicted/peak_bytes/n0~1dusk: no memory named \"n0/dusk\"; expected one of the platform");
}

TEST_CASE("an id that is taken is left to the judge", "[schedule_json]") {
  CHECK(unresolved("{\"id\": 5,", "{\"id\": 0,", first_action) ==
        "/actions/5/id: the id 0 is that of the action at position 0 as well; expected one of its "
        "own");
}

TEST_CASE("wrong names do not hide each other", "[schedule_json]") {
  Schedule schedule = chain_kept_whole();
  std::string text = schedule_text(schedule);
  for (std::size_t at = text.find("n0/cpu/0"); at != std::string::npos;
       at = text.find("n0/cpu/0")) {
    text.replace(at, 8, "nobody");
  }
  schedule = parse_schedule(text, "s.json");
  CHECK(schedule.unresolved.size() == schedule.actions.size());
  CHECK(schedule.actions[0].worker == no_worker);
}

TEST_CASE("a lowering and what was asked of it are written as they are read", "[schedule_json]") {
  Schedule schedule = training_step();
  schedule.request.layout = ImageLayout::nchw;
  schedule.request.grain = 4;
  schedule.request.pipeline = "zb-h1";
  schedule.request.stages = 2;
  schedule.request.shards = {{"fc", ShardBy::rows, 2}, {"conv1", ShardBy::channels, 4}};
  schedule.lowering = {.batch = 32,
                       .microbatches = 2,
                       .leaves = 8,
                       .replicas = 2,
                       .layout = ImageLayout::nchw,
                       .shards = {{"fc", ShardBy::columns, 2}, {"attention", ShardBy::heads, 3}},
                       .cuts = {{"conv1", 4}, {.layer = "fc", .pieces = {4, 2, 1, 1}}},
                       .splits = {{"fc.weight", 3}}};
  const std::string text = schedule_text(schedule);
  const Schedule read = parse_schedule(text, "s.json");
  CHECK(read.lowering == schedule.lowering);
  CHECK(read.request.layout == ImageLayout::nchw);
  CHECK(read.request.grain == 4);
  CHECK(read.request.pipeline == "zb-h1");
  CHECK(read.request.stages == 2);
  CHECK(read.request.shards == schedule.request.shards);
  CHECK(schedule_text(read) == text);
  schedule.request.grain = auto_grain;
  CHECK(parse_schedule(schedule_text(schedule), "s.json").request.grain == auto_grain);
  CHECK(shape_fault("\"cuts\":[]", "\"cuts\":[{\"layer\":\"fc\"}]") ==
        "s.json: /lowering/cuts/0: leaves and pieces both, or neither; expected one of them");
  CHECK(shape_fault("\"cuts\":[]", "\"cuts\":[],\"shards\":[{\"layer\":\"fc\"}]") ==
        "s.json: /lowering/shards/0: not cut; expected columns, rows, channels or heads");
  CHECK(shape_fault("\"cuts\":[]",
                    "\"cuts\":[],\"shards\":[{\"layer\":\"fc\",\"rows\":2,\"heads\":2}]") ==
        "s.json: /lowering/shards/0: cut in two ways; expected one of them");
  CHECK_THAT(shape_fault("\"cuts\":[]", "\"cuts\":[],\"shards\":[{\"layer\":\"fc\",\"rows\":0}]"),
             Catch::Contains("/lowering/shards/0/rows"));
  CHECK(shape_fault("\"cuts\":[]", "\"cuts\":[],\"layout\":\"chwn\"") ==
        "s.json: /lowering/layout: unknown word \"chwn\"; expected one of nhwc, nchw");
}

TEST_CASE("the bill is written as it is read", "[schedule_json]") {
  Request request;
  for (const std::string text : {"makespan", "deadline", "period=0.25", "period=1e-07"}) {
    set_bill(request, text, "--bill");
    CHECK(bill_text(request) == text);
  }
  for (const std::string text :
       {"", "period", "period=", "period=0", "period=-1", "period=inf", "period=1s", "Makespan"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(set_bill(request, text, "--bill"), InputError);
  }
}

TEST_CASE("numerics are named by the model and the request, not by the rest of it",
          "[schedule_json]") {
  Request request;
  const std::string name = numerics_sha256("m", request, {});
  CHECK(name.size() == 64);
  request.strategy = "other";
  request.memory["n0/ram"] = 1;
  CHECK(numerics_sha256("m", request, {}) == name);
  CHECK(numerics_sha256("n", request, {}) != name);
  for (auto field : {&Request::batch, &Request::microbatches, &Request::leaves}) {
    Request other;
    other.*field = 2;
    CHECK(numerics_sha256("m", other, {}) != name);
  }
  Request other_layout;
  other_layout.layout = ImageLayout::nchw;
  CHECK(numerics_sha256("m", other_layout, {}) != name);
  Request in_pieces;
  in_pieces.grain = 2;
  CHECK(numerics_sha256("m", in_pieces, {}) == name);
  Request in_shards;
  in_shards.shards = {{"attention", ShardBy::heads, 2}, {"fc", ShardBy::rows, 1}};
  CHECK(numerics_sha256("m", in_shards, {}) == name);
  in_shards.shards = {{"a", ShardBy::rows, 2}, {"b", ShardBy::columns, 2}};
  const std::string with_shards = numerics_sha256("m", in_shards, {});
  CHECK(with_shards != name);
  std::swap(in_shards.shards[0], in_shards.shards[1]);
  CHECK(numerics_sha256("m", in_shards, {}) == with_shards);
  in_shards.shards[0].count = 4;
  CHECK(numerics_sha256("m", in_shards, {}) != with_shards);
  const std::string ahead = numerics_sha256("m", request, {.pipelined = {"a", "b"}});
  CHECK(ahead != name);
  CHECK(numerics_sha256("m", request, {.pipelined = {"a", "c"}}) != ahead);
}

TEST_CASE("numerics tell on which kinds of devices a network's tasks run", "[schedule_json]") {
  Schedule schedule = chain_kept_whole();
  const auto name = [&] { return numerics_sha256(schedule, "m"); };
  const auto on_kind = [&](const std::string& kind) {
    schedule.platform.devices[0].kind = kind;
    return name();
  };
  CHECK(on_kind("cpu") == on_kind("cuda"));  // tasks with costs alone: bits are the same anywhere
  schedule.model = Network{};
  const std::string on_cpus = on_kind("cpu");
  CHECK(on_cpus == numerics_sha256("m", schedule.request, schedule.lowering));
  const std::string on_gpus = on_kind("cuda");
  CHECK(on_gpus != on_cpus);
  // The same tasks, one of them on another kind.
  schedule.platform.devices.push_back(schedule.platform.devices[0]);
  schedule.platform.devices.back().kind = "cpu";
  schedule.platform.devices.back().name = "other";
  const auto all = workers(schedule.platform);
  for (std::size_t w = 0; w < all.size(); ++w) {
    if (!all[w].is_link() && all[w].device == 1)
      schedule.actions[0].worker = static_cast<WorkerId>(w);
  }
  const std::string mixed = name();
  CHECK((mixed != on_cpus && mixed != on_gpus));
  std::swap(schedule.actions[0].worker, schedule.actions[1].worker);
  CHECK(name() != mixed);
}

TEST_CASE("a product and its post-ops are the same numerics together and apart",
          "[schedule_json]") {
  const auto pinned = [](const char* op, const char* algorithm) {
    return PinnedKernel{.device = "cpu", .op = op, .shape = "8", .algorithm = algorithm};
  };
  const Request request;
  const std::string apart =
      numerics_sha256("m", request,
                      {.kernels = {pinned("affine.forward", "b"), pinned("add.forward", "b"),
                                   pinned("linear.forward", "a"),
                                   pinned("linear_then_relu.forward", "a, then b")}});
  const Lowering together{.fuse = true,
                          .post_ops = {"add", "affine"},
                          .kernels = {pinned("linear_then_affine_add.forward", "a, then b, then b"),
                                      pinned("linear_then_relu.forward", "a, then b")}};
  CHECK(numerics_sha256("m", request, together) == apart);
  Lowering other = together;
  other.kernels[0].algorithm = "c, then b, then b";
  CHECK(numerics_sha256("m", request, other) != apart);
}
