#include "files/parse_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::size_t deepest_nesting = 64;

// Runs over a document before it is built: nlohmann-json keeps the last of two equal keys without a
// word, and has no limit on nesting.
class StrictSax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  StrictSax(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return step(); }
  bool boolean(bool) override { return step(); }
  bool number_integer(number_integer_t) override { return step(); }
  bool number_unsigned(number_unsigned_t) override { return step(); }
  bool number_float(number_float_t, const string_t&) override { return step(); }
  bool string(string_t&) override { return step(); }
  bool binary(binary_t&) override { return step(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!levels_.back().keys.insert(name).second) {
      throw InputError(where(levels_.size() - 1), "the key " + in_quotes(name) +
                                                      " is written twice in one object; expected "
                                                      "once");
    }
    levels_.back().key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
      throw InputError(file_ + ": /" + line_and_column(position),
                       "a number too large for its type; expected one below 1.8e308");
    }
    const bool ended = position > text_.size();
    throw InputError(file_ + ": /" + line_and_column(position),
                     ended ? "the file ends too early; expected the rest of a JSON document"
                           : "not JSON; expected a JSON document in UTF-8");
  }

 private:
  // An object or list that is open, and the member or element that is being read.
  struct Level {
    bool is_list = false;
    std::unordered_set<std::string> keys;
    std::string key;
    std::size_t next_element = 0;
  };

  // The place of the value to which the first `depth` levels lead.
  std::string where(std::size_t depth) const {
    std::string path = depth == 0 ? "/" : "";
    for (std::size_t i = 0; i < depth; ++i) {
      const Level& level = levels_[i];
      path +=
          '/' + (level.is_list ? std::to_string(level.next_element - 1) : pointer_step(level.key));
    }
    return file_ + ": " + path;
  }
  bool step() {
    if (!levels_.empty()) ++levels_.back().next_element;
    return true;
  }
  bool open(bool is_list) {
    step();
    if (levels_.size() == deepest_nesting) {
      throw InputError(
          where(levels_.size()),
          fmt::format("nested deeper than {} levels; expected one of our files", deepest_nesting));
    }
    levels_.emplace_back().is_list = is_list;
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  std::string line_and_column(std::size_t position) const {
    const std::size_t end = std::min(position, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(end), '\n');
    const std::size_t line_start = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    return fmt::format(" (line {}, column {})", line,
                       end - (line_start == std::string::npos ? 0 : line_start + 1));
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Level> levels_;
};

}  // namespace

nlohmann::json parse_json(const std::string& text, const std::string& file) {
  StrictSax strict(text, file);
  nlohmann::json::sax_parse(text, &strict);
  return nlohmann::json::parse(text);
}

}  // namespace stint
