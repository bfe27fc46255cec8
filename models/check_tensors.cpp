#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "files/input_error.hpp"
#include "models/check_graph.hpp"
#include "models/parts.hpp"

namespace stint {
namespace {

[[noreturn]] void fail(std::size_t tensor, const char* key, const std::string& fault) {
  throw InputError(fmt::format("/tensors/{}/{}", tensor, key), fault);
}

void check_names(const Graph& graph) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const std::string& name = graph.tensors[i].name;
    if (const auto fault = fault_in_name(name); !fault.empty()) fail(i, "name", fault);
    if (!seen.insert(name).second) {
      fail(i, "name", "a second tensor named " + in_quotes(name) + "; expected each name once");
    }
  }
}

void check_sizes(const Graph& graph, TotalBytes& total) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const auto fault = total.add(graph.tensors[i].bytes);
    if (!fault.empty()) fail(i, "bytes", fault);
  }
}

void check_part(const Graph& graph, std::size_t i, const PartOf& part_of) {
  if (part_of.tensor < 0 || part_of.tensor >= static_cast<int>(graph.tensors.size())) {
    fail(i, "part_of/tensor", "no such tensor; expected one of this graph");
  }
  const Tensor& part = graph.tensors[i];
  const Tensor& whole = graph.tensors[part_of.tensor];
  if (whole.bytes == 0) {
    fail(i, "part_of",
         "a part of " + in_quotes(whole.name) +
             ", which has 0 bytes; expected a whole of at least 1");
  }
  const std::int64_t offset = part_of.offset_bytes;
  if (offset < 0 || offset > whole.bytes || part.bytes > whole.bytes - offset) {
    fail(i, "part_of",
         fmt::format("{} bytes from byte {} on of a whole of {}; expected a part "
                     "inside its whole",
                     part.bytes, offset, whole.bytes));
  }
  if (part.kind != whole.kind) {
    fail(i, "kind",
         fmt::format("{}, but {} is {}; expected a part to be of its whole's kind",
                     to_string(part.kind), in_quotes(whole.name), to_string(whole.kind)));
  }
}

void check_parts(const Graph& graph) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].part_of) check_part(graph, i, *graph.tensors[i].part_of);
  }
  std::vector<bool> reached(graph.tensors.size());
  for (const TensorId id : wholes_first(graph)) reached[id] = true;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (reached[i]) continue;
    fail(i, "part_of",
         "its wholes are parts of each other in a circle; expected a whole that is "
         "no part in the end");
  }
}

}  // namespace

void check_tensors(const Graph& graph, TotalBytes& total) {
  check_names(graph);
  check_sizes(graph, total);
  check_parts(graph);
}

}  // namespace stint
