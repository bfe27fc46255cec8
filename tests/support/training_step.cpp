#include "tests/support/training_step.hpp"

namespace stint {

const char* const training_graph = R"({"format": "stint-tasks", "version": 1, "name": "step",
 "tensors": [
  {"name": "image", "bytes": 8, "kind": "input"},
  {"name": "w", "bytes": 4, "kind": "state"},
  {"name": "a", "bytes": 8},
  {"name": "a0", "bytes": 4, "part_of": {"tensor": "a", "offset_bytes": 0}},
  {"name": "a1", "bytes": 4, "part_of": {"tensor": "a", "offset_bytes": 4}},
  {"name": "b", "bytes": 8}, {"name": "tape", "bytes": 8}, {"name": "c", "bytes": 8},
  {"name": "loss", "bytes": 4}, {"name": "gc", "bytes": 8}, {"name": "gw", "bytes": 4},
  {"name": "norm", "bytes": 4}],
 "tasks": [
  {"name": "F0", "phase": "forward", "reads": ["image", "w"], "writes": ["a0"],
   "workspace_bytes": 2, "seconds": {"cpu": 2}},
  {"name": "F1", "phase": "forward", "reads": ["image", "w"], "writes": ["a1"],
   "seconds": {"cpu": 2}},
  {"name": "G", "phase": "forward", "reads": ["a"], "writes": ["b", "tape"], "optional": ["tape"],
   "seconds": {"cpu": 3, "gpu": 1}},
  {"name": "H", "phase": "forward", "reads": ["b"], "writes": ["c"], "may_overwrite": {"c": "b"},
   "seconds": {"cpu": 1}},
  {"name": "L", "phase": "loss", "reads": ["c"], "writes": ["loss", "gc"],
   "seconds": {"cpu": 4, "gpu": 1}},
  {"name": "D", "phase": "backward", "reads": ["gc", "tape"], "writes": ["gw"],
   "seconds": {"cpu": 2}},
  {"name": "U", "phase": "update", "reads": ["gw"], "updates": ["w"], "seconds": {"cpu": 1}},
  {"name": "V", "reads": ["w"], "writes": ["norm"], "seconds": {"cpu": 1}}],
 "results": ["loss"]})";

const char* const training_platform = R"({"format": "stint-platform", "version": 1, "name": "box",
 "nodes": [{"name": "n0", "base_watts": 10,
  "memories": [{"name": "ram", "bytes": 64, "alignment_bytes": 4},
               {"name": "hbm", "bytes": 64, "alignment_bytes": 4, "kind": "device"}],
  "devices": [
   {"name": "cpu", "kind": "cpu", "memory": "ram", "workers": 2, "idle_watts": 2,
    "active_watts": 1, "wait_watts": 0.5, "settable": "action", "state_scope": "device",
    "states": [{"name": "fast", "speed": 1, "busy_watts": 4},
               {"name": "slow", "speed": 0.5, "busy_watts": 1, "switch_seconds": 0.25,
                "switch_joules": 3}]},
   {"name": "gpu", "kind": "gpu", "memory": "hbm", "workers": 1, "idle_watts": 5,
    "states": [{"name": "on", "speed": 1, "busy_watts": 20},
               {"name": "eco", "speed": 0.5, "busy_watts": 8}]}],
  "links": [{"from": "ram", "to": "hbm", "bytes_per_second": 8, "latency_seconds": 0.5,
             "joules_per_byte": 0.125, "channel": "pcie"},
            {"from": "hbm", "to": "ram", "bytes_per_second": 8, "latency_seconds": 0.5,
             "joules_per_byte": 0.125, "active_watts": 2, "channel": "pcie"}]}]})";

TrainingStep::TrainingStep() {
  image = builder.initial("image", "n0/ram", 0);
  w = builder.initial("w", "n0/ram", 8);
  a = builder.buffer("a", "n0/ram", 12);
  a0 = builder.part("a0", a);
  a1 = builder.part("a1", a);
  workspace = builder.workspace(2, "n0/ram", 20);
  b = builder.buffer("b", "n0/ram", 24);
  tape = builder.buffer("tape", "n0/ram", 32);
  c = builder.buffer("c", "n0/ram", 24);  // where b is
  c_gpu = builder.buffer("c", "n0/hbm", 0);
  loss = builder.buffer("loss", "n0/hbm", 8);
  gc_gpu = builder.buffer("gc", "n0/hbm", 12);
  gc = builder.buffer("gc", "n0/ram", 12);  // where a was
  gw = builder.buffer("gw", "n0/ram", 40);
  norm = builder.buffer("norm", "n0/ram", 44);

  f0 = builder.compute("F0", "n0/cpu/0", {image, w}, {a0});
  builder.action(f0).workspace = workspace;
  f1 = builder.compute("F1", "n0/cpu/1", {image, w}, {a1});
  g = builder.compute("G", "n0/cpu/0", {a}, {b, tape}, {f1});
  h = builder.compute("H", "n0/cpu/0", {b}, {c});
  c_out = builder.copy("n0/ram>n0/hbm", c, c_gpu, {h});
  l = builder.compute("L", "n0/gpu/0", {c_gpu}, {loss, gc_gpu}, {c_out});
  gc_back = builder.copy("n0/hbm>n0/ram", gc_gpu, gc, {l});
  d = builder.compute("D", "n0/cpu/0", {gc, tape}, {gw}, {gc_back});
  u = builder.compute("U", "n0/cpu/0", {gw}, {});
  builder.action(u).updates = {w};
  v = builder.compute("V", "n0/cpu/1", {w}, {norm}, {u});
}

Schedule training_step() { return TrainingStep().builder.finish(); }

}  // namespace stint
