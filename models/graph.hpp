// The training graph: what has to be computed in one step, and how many bytes each result occupies.
//
// A graph knows nothing of machines or energy; those belong to platforms/. Tasks are listed in an
// order that respects their dependencies, so "before" means "smaller id" and every pass over a
// graph is a loop over a vector.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/quantity.hpp"

namespace stint {

// Indices. Each converts to int, and so indexes a vector, but never to another kind of index.
enum TaskId : int {};
inline constexpr TaskId no_task{-1};
enum TensorId : int {};
inline constexpr TensorId no_tensor{-1};

enum class Kind { activation, input, state };
enum class Phase { forward, loss, backward, update, other };

// Where a part lies in its whole: `bytes` of it from `offset_bytes` on.
struct PartOf {
  TensorId tensor = no_tensor;
  std::int64_t offset_bytes = 0;
  bool operator==(const PartOf&) const = default;
};

struct Tensor {
  std::string name;
  std::int64_t bytes = 0;        // may be 0: a dependency without data
  Kind kind = Kind::activation;  // or an input of the step, or state that outlives it
  std::optional<PartOf> part_of;
  bool operator==(const Tensor&) const = default;
};

// Several workers of one device may share the task; Amdahl's law with this serial fraction.
struct Parallel {
  int max_workers = 1;
  double serial_fraction = 0;
  bool operator==(const Parallel&) const = default;
};

struct Task {
  std::string name;
  Phase phase = Phase::other;
  std::vector<TensorId> reads;
  std::vector<TensorId> writes;    // produced by this task and by no other
  std::vector<TensorId> updates;   // state, read and rewritten in place
  std::vector<TensorId> optional;  // of `writes`: an execution may leave them out
  std::vector<std::pair<TensorId, TensorId>>
      may_overwrite;  // ascending (y, x): y may take x's place
  std::int64_t workspace_bytes = 0;
  std::map<std::string, Quantity> seconds;  // by device kind or device name, at speed 1
  std::string op;                           // with flops and bytes_moved, for a time model
  double flops = 0;
  double bytes_moved = 0;
  std::string shape;                       // what a measured kernel of the same op has to match
  std::map<std::string, double> features;  // what a time model may count beyond flops and bytes
  std::optional<Parallel> parallel;
  bool operator==(const Task&) const = default;
};

struct Graph {
  std::string name;
  std::string description;
  std::vector<Tensor> tensors;
  std::vector<Task> tasks;
  std::vector<TensorId> results;  // must exist when the step ends
  bool operator==(const Graph&) const = default;
};

// Throws InputError, naming the place as a JSON pointer, unless the graph is sound: ids in range,
// names unique, sizes and times sensible, listed order respecting dependencies, one writer for
// every byte, parts inside wholes that they tile, everything read or asked for computed by someone.
void check(const Graph& graph);

// Reads a "stint-tasks" file, checked; "-" is standard input. `parse_graph` reads its text; `file`
// is the name that messages use.
Graph read_graph(const std::string& path);
Graph parse_graph(const std::string& text, const std::string& file);

// The file's text: the same graph gives the same bytes. Its SHA-256 is the graph's name in other
// files.
std::string graph_text(const Graph& graph);

// The tensors by name.
std::map<std::string, TensorId> tensors_by_name(const Graph& graph);

std::string to_string(Kind kind);
std::string to_string(Phase phase);

}  // namespace stint
