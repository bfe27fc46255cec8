// The machine a step is planned for: nodes with memories, devices and links, and what each costs in
// time and watts. Knows nothing of models or schedules.
//
// Memories, devices and links stand in flat tables, nodes in file order; a memory belongs to a
// node, a device computes in one memory, a link is directed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files/quantity.hpp"

namespace stint {

enum NodeId : int {};
enum MemoryId : int {};
enum DeviceId : int {};
enum LinkId : int {};
inline constexpr MemoryId no_memory{-1};

enum class MemoryKind { ram, device, storage };
enum class Settable {
  none,
  run,
  action
};                                         // may power states be chosen: never, per run, per action
enum class StateScope { worker, device };  // device: overlapping actions share one state

struct Node {
  std::string name;
  Quantity base_watts;  // what no device owns: board, fans, supply
  bool operator==(const Node&) const = default;
};

struct Memory {
  NodeId node{0};
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t alignment_bytes = 1;  // every buffer's offset and size are rounded up to it
  MemoryKind kind = MemoryKind::ram;
  Quantity static_watts;
  bool operator==(const Memory&) const = default;
};

struct PowerState {
  std::string name;
  Quantity speed = 1.0;  // relative: 1 is the state that times refer to
  Quantity busy_watts;   // what one busy worker adds above idle
  std::map<std::string, Quantity> busy_watts_by_class;  // overrides by op class
  Quantity switch_seconds;                              // cost of entering the state
  Quantity switch_joules;
  bool operator==(const PowerState&) const = default;
};

// What a time model was off by where tasks were measured, and so is taken to be off by nearby: with
// u = ln(1 + feature) and w = tasks · exp(−½ Σ ((u − at) / width)²) for every point,
//   factor = (caution + Σ w · factor of the point) / (caution + Σ w).
// That lies between the factors of the points and 1, and is 1 far away from all of them.
struct TimeCorrection {
  struct Point {
    std::vector<double> at;  // ln(1 + x) of each feature
    double tasks = 1;        // how many it stands for
    double factor = 1;       // measured seconds by modelled ones
    bool operator==(const Point&) const = default;
  };
  std::vector<std::string> features;  // as in terms
  std::vector<double> widths;         // by feature: how far a point tells of others
  double caution = 1;                 // so many tasks near by count as much as the model itself
  std::vector<Point> points;          // none: the model is not corrected
  bool operator==(const TimeCorrection&) const = default;
};

// seconds = (Σ terms[x]·x + Σ knots[x][k]·max(0, x − k)) · the correction's factor, with x = 1 for
// "constant".
struct TimeModel {
  std::map<std::string, Quantity> terms;
  std::map<std::string, std::map<std::int64_t, Quantity>> knots;
  std::optional<Quantity> sigma;  // of the logarithm of the residual
  TimeCorrection correction = {};
  bool operator==(const TimeModel&) const = default;
};

// One measured shape.
struct Kernel {
  std::string op;
  std::string shape;
  std::string type;
  std::string layout;
  std::string algorithm;
  std::string weight_order;  // in which it wants its weight, or makes its gradient; "": as listed
  std::int64_t workspace_bytes = 0;
  Quantity seconds;
  bool operator==(const Kernel&) const = default;
};

struct Cache {
  int level = 1;
  std::int64_t bytes = 0;
  int shared_by = 1;         // workers
  Quantity joules_per_byte;  // that a worker touches and that is not in its share of the cache
  bool operator==(const Cache&) const = default;
};

struct Device {
  NodeId node{0};
  std::string name;
  std::string kind;  // "cpu", "cuda", …
  MemoryId memory{0};
  int workers = 1;
  Quantity idle_watts;    // on, nothing running
  Quantity active_watts;  // extra while at least one of its workers is busy
  Quantity wait_watts;    // extra per worker that waits by spinning
  Settable settable = Settable::none;
  StateScope state_scope = StateScope::worker;
  std::vector<PowerState> states;  // at least one; the first is what the machine does by itself
  std::vector<Cache> caches;
  std::map<std::string, TimeModel> time_model;  // by op; "*" for every other
  std::vector<Kernel> kernels;
  bool operator==(const Device&) const = default;
};

struct Link {
  MemoryId from{0};
  MemoryId to{0};
  bool network = false;  // between nodes: stands in the file's "network"
  Quantity bytes_per_second;
  Quantity latency_seconds;
  Quantity joules_per_byte;
  Quantity active_watts;
  std::string channel;  // links of one channel serve one copy at a time; "" is a channel of its own
  bool blocking = false;  // a copy occupies a compute worker as well
  bool operator==(const Link&) const = default;
};

struct Platform {
  std::string name;
  std::string description;
  std::vector<Node> nodes;
  std::vector<Memory> memories;
  std::vector<Device> devices;
  std::vector<Link> links;
  bool operator==(const Platform&) const = default;
};

// Throws InputError, naming the place as a JSON pointer, unless the platform is sound.
void check(const Platform& platform);

// Reads a "stint-platform" file, checked; "-" is standard input.
Platform read_platform(const std::string& path);
Platform parse_platform(const std::string& text, const std::string& file);

// The file's text: the same platform gives the same bytes.
std::string platform_text(const Platform& platform);

std::string to_string(MemoryKind kind);
std::string to_string(Settable settable);
std::string to_string(StateScope scope);

}  // namespace stint
