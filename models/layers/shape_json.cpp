#include "models/layers/shape_json.hpp"

#include <algorithm>
#include <charconv>

namespace stint {
namespace {

// "batch" is 1, "4*batch" 4; 0 is anything else.
std::int64_t samples_in(const std::string& text) {
  if (text == "batch") return 1;
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, count);
  const bool is_count = fault == std::errc() && std::string_view(rest, end) == "*batch";
  return is_count && count > 0 ? count : 0;
}

Dimension dimension_from_json(const JsonReader& dimension, std::int64_t least) {
  if (!dimension.is_text()) return {dimension.integer(least), false};
  const std::string text = dimension.text();
  const std::int64_t count = samples_in(text);
  if (count == 0) {
    dimension.fail(in_quotes(text) + "; expected a whole number, \"batch\" or \"4*batch\"");
  }
  return {count, true};
}

}  // namespace

Shape shape_from_json(const JsonReader& list, std::int64_t least) {
  Shape shape;
  for (const JsonReader& element : list.elements()) {
    const Dimension dimension = dimension_from_json(element, least);
    const auto per_sample = [](const Dimension& other) { return other.per_sample; };
    if (dimension.per_sample && std::any_of(shape.begin(), shape.end(), per_sample)) {
      element.fail("a second dimension that depends on the batch; expected at most one");
    }
    shape.push_back(dimension);
  }
  return shape;
}

nlohmann::ordered_json to_json(const Shape& shape) {
  auto list = nlohmann::ordered_json::array();
  for (const Dimension& dimension : shape) {
    if (dimension.per_sample) {
      list.push_back(to_string(dimension));
    } else {
      list.push_back(dimension.count);
    }
  }
  return list;
}

}  // namespace stint
