#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "models/segments.hpp"
#include "schedules/colours.hpp"
#include "schedules/dot.hpp"
#include "schedules/dot_words.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

class GraphDot {
 public:
  explicit GraphDot(const Graph& graph)
      : graph_(graph), segments_(segments(graph)), made_by_(segments_.count(), -1) {}

  std::string write() {
    text_ = dot_head(graph_.name, "TB");
    for (int i = 0; i < static_cast<int>(graph_.tasks.size()); ++i) add_task(i);
    for (const TensorId result : graph_.results) add_result(result);
    return text_ + "}\n";
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  std::string title(TensorId tensor) const {
    const Tensor& it = graph_.tensors[tensor];
    return it.name + '\n' + bytes_text(it.bytes);
  }

  // Tasks stand in an order that respects dependencies: who made what a task reads is known by
  // then.
  void add_task(int id) {
    const Task& task = graph_.tasks[id];
    add("  t{} [label={}, fillcolor=\"{}\"]\n", id, in_dot_quotes(task.name),
        colour_of(task.phase));
    for (const TensorId tensor : task.reads) add_edges(tensor, fmt::format("t{}", id), "");
    for (const TensorId tensor : task.updates) {
      add_edges(tensor, fmt::format("t{}", id), ", style=bold");
    }
    for (const auto* made : {&task.writes, &task.updates}) {
      for (const TensorId tensor : *made) set_maker(tensor, id);
    }
  }

  void set_maker(TensorId tensor, int task) {
    const SegmentRange range = segments_.of_tensor[tensor];
    std::fill(made_by_.begin() + range.begin, made_by_.begin() + range.end, task);
  }

  // From everyone who made a piece of the tensor, or from the tensor itself if no task did.
  void add_edges(TensorId tensor, const std::string& to, const char* style) {
    const SegmentRange range = segments_.of_tensor[tensor];
    const std::set<int> makers(made_by_.begin() + range.begin, made_by_.begin() + range.end);
    for (const int maker : makers) {
      const std::string from = maker < 0 ? source(tensor) : fmt::format("t{}", maker);
      const std::string label = maker < 0 ? "" : title(tensor);
      add("  {} -> {} [label={}{}]\n", from, to, in_dot_quotes(label), style);
    }
  }

  std::string source(TensorId tensor) {
    const std::string name = fmt::format("s{}", static_cast<int>(tensor));
    if (sources_.insert(tensor).second) {
      const bool is_state = graph_.tensors[tensor].kind == Kind::state;
      add("  {} [label={}, shape={}, style=filled, fillcolor=\"#ffffff\"]\n", name,
          in_dot_quotes(title(tensor)), is_state ? "cylinder" : "ellipse");
    }
    return name;
  }

  void add_result(TensorId tensor) {
    const std::string name = fmt::format("r{}", static_cast<int>(tensor));
    add("  {} [label={}, shape=ellipse, style=filled, fillcolor=\"#ffffff\", peripheries=2]\n",
        name, in_dot_quotes(title(tensor)));
    add_edges(tensor, name, "");
  }

  const Graph& graph_;
  Segments segments_;
  std::vector<int> made_by_;  // by segment: a task, or -1
  std::set<TensorId> sources_;
  std::string text_;
};

}  // namespace

std::string dot_text(const Graph& graph) { return GraphDot(graph).write(); }

}  // namespace stint
