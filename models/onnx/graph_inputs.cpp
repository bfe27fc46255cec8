#include "models/onnx/graph_inputs.hpp"

#include <fmt/format.h>

#include <set>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::int64_t most_batch = std::int64_t{1} << 20;
constexpr std::int64_t most_input_size = std::int64_t{1} << 31;

struct InputReader {
  const OnnxInput& input;
  OnnxTranslation& t;

  [[noreturn]] void fail(const std::string& fault) const {
    throw InputError(t.scope.file(), "input " + in_quotes(input.name) + ": " + fault);
  }

  Element element() const {
    if (input.type == OnnxType::float32) return Element::f32;
    if (input.type == OnnxType::int32 || input.type == OnnxType::int64) return Element::int32;
    fail(to_string(input.type) + "; expected float, int32 or int64");
  }

  // The batch that the file fixes must be the same everywhere.
  void note_batch(const OnnxDimension& first) const {
    if (!first.value) return;
    if (*first.value < 1 || *first.value > most_batch)
      fail(fmt::format("a batch of {}; expected 1 to 2^20", *first.value));
    if (t.file_batch && *t.file_batch != *first.value)
      fail(fmt::format("a batch of {}, another input has {}; expected the same", *first.value,
                       *t.file_batch));
    t.file_batch = first.value;
  }

  Shape shape() const {
    if (!input.shape || input.shape->empty()) fail("no shape; expected the batch first");
    note_batch(input.shape->front());
    Shape shape = {batch_dimension};
    for (std::size_t i = 1; i < input.shape->size(); ++i) {
      const OnnxDimension& size = (*input.shape)[i];
      if (!size.value)
        fail(fmt::format("dimension {} is open ({}); expected a size in the file", i,
                         in_quotes(size.name)));
      if (*size.value < 1 || *size.value > most_input_size)
        fail(fmt::format("dimension {} is {}; expected 1 to 2^31", i, *size.value));
      shape.push_back({*size.value});
    }
    return shape;
  }
};

}  // namespace

void add_graph_inputs(const OnnxGraph& graph, OnnxTranslation& t) {
  std::set<std::string> done;
  for (const OnnxInput& input : graph.inputs) {
    const bool is_read = t.readers.contains(input.name) && !input.name.empty();
    if (!is_read || t.scope.is_constant(input.name)) continue;
    const InputReader reader{input, t};
    if (!done.insert(input.name).second) reader.fail("twice; expected unique names");
    const Shape shape = reader.shape();
    t.scope.define(input.name, t.builder.add_input(input.name, shape, reader.element()));
  }
}

}  // namespace stint
