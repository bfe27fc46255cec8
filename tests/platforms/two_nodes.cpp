#include "tests/platforms/two_nodes.hpp"

#include <stdexcept>

namespace stint {
namespace {

const char* const text = R"({"format": "stint-platform", "version": 1, "name": "two",
 "description": "two nodes",
 "nodes": [
  {"name": "n0", "base_watts": {"value": 20.5, "basis": "measured", "source": "a meter"},
   "memories": [
    {"name": "ram", "bytes": 1024},
    {"name": "disk", "bytes": 5000, "kind": "storage", "alignment_bytes": 4096,
     "static_watts": 0.5},
    {"name": "hbm", "bytes": 2048, "kind": "device"}],
   "devices": [
    {"name": "cpu", "kind": "cpu", "memory": "ram", "workers": 2, "idle_watts": 8,
     "states": [{"name": "only", "speed": 1, "busy_watts": 1}]},
    {"name": "gpu", "kind": "cuda", "memory": "hbm", "workers": 3, "active_watts": 2,
     "wait_watts": 0.25, "settable": "action", "state_scope": "device",
     "states": [
      {"name": "fast", "speed": 1, "busy_watts": 7},
      {"name": "slow", "speed": 0.5, "busy_watts": 3, "busy_watts_by_class": {"gemm": 4},
       "switch_seconds": 0.125, "switch_joules": 0.75}],
     "caches": [{"level": 1, "bytes": 32768, "shared_by": 2, "joules_per_byte":
      {"value": 6e-11, "basis": "assumed", "source": "a guess"}}],
     "time_model": {"*": {"terms": {"constant": 2e-6}},
      "conv2d.forward": {"terms": {"flops": 7e-12}, "knots": {"bytes": {"1310720": 4e-11}},
       "sigma": 0.08, "correction": {"features": ["bytes", "flops"], "widths": [0.5, 2],
        "caution": 0.25, "points": [{"at": [10, 12.5], "tasks": 3, "factor": 1.25}]}}},
     "kernels": [{"op": "gemm", "shape": "8x8", "type": "f32", "layout": "nhwc",
      "algorithm": "direct", "workspace_bytes": 8192, "seconds": 0.5}]}],
   "links": [
    {"from": "ram", "to": "disk", "bytes_per_second": 1e9},
    {"from": "ram", "to": "hbm", "bytes_per_second": 2e9}]},
  {"name": "n1", "memories": [{"name": "ram", "bytes": 77}]}],
 "network": [
  {"from": "n0/ram", "to": "n1/ram", "bytes_per_second": 3e9, "latency_seconds": 2e-6,
   "joules_per_byte": 1e-9, "active_watts": 0.5, "channel": "eth", "blocking": true}]})";

}  // namespace

std::string two_nodes(const std::string& from, const std::string& to) {
  std::string changed = text;
  if (from.empty()) return changed;
  const std::size_t at = changed.find(from);
  if (at == std::string::npos || changed.find(from, at + 1) != std::string::npos) {
    throw std::logic_error("not there exactly once: " + from);
  }
  return changed.replace(at, from.size(), to);
}

}  // namespace stint
