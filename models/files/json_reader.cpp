#include "files/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

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

const std::vector<std::pair<std::string_view, Basis>> basis_words = {
    {"measured", Basis::measured},
    {"calibrated", Basis::calibrated},
    {"datasheet", Basis::datasheet},
    {"assumed", Basis::assumed}};

}  // namespace

std::string to_string(Basis basis) {
  for (const auto& [name, meaning] : basis_words) {
    if (meaning == basis) return std::string(name);
  }
  return "stated";
}

nlohmann::json parse_json(const std::string& text, const std::string& file) {
  StrictSax strict(text, file);
  nlohmann::json::sax_parse(text, &strict);
  return nlohmann::json::parse(text);
}

void JsonReader::fail(const std::string& fault_and_expected) const {
  throw InputError(where(), fault_and_expected);
}

const char* JsonReader::type_name() const {
  switch (value_->type()) {
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a text";
    case nlohmann::json::value_t::boolean:
      return "a boolean";
    case nlohmann::json::value_t::null:
      return "null";
    default:
      return "a number";
  }
}

const nlohmann::json& JsonReader::object() const {
  if (!value_->is_object()) fail(fmt::format("{}; expected an object", type_name()));
  return *value_;
}

void JsonReader::expect_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : object().items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    fail(fmt::format("unknown key {}; expected only {}", in_quotes(key), fmt::join(keys, ", ")));
  }
}

bool JsonReader::contains(const char* key) const { return object().contains(key); }

bool JsonReader::has(const char* key) const {
  const auto found = object().find(key);
  return found != value_->end() && !found->is_null();
}

bool JsonReader::is_null(const char* key) const {
  const auto found = object().find(key);
  return found != value_->end() && found->is_null();
}

JsonReader JsonReader::child(const std::string& key) const {
  const auto found = object().find(key);
  if (found == value_->end()) fail(fmt::format("no key \"{0}\"; expected \"{0}\"", key));
  return {*found, file_, path_ + '/' + pointer_step(key)};
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& [key, value] : object().items()) {
    all.emplace_back(key, JsonReader(value, file_, path_ + '/' + pointer_step(key)));
  }
  return all;
}

std::vector<JsonReader> JsonReader::elements() const {
  if (!value_->is_array()) fail(fmt::format("{}; expected a list", type_name()));
  std::vector<JsonReader> all;
  all.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    all.emplace_back((*value_)[i], file_, path_ + '/' + std::to_string(i));
  }
  return all;
}

std::vector<JsonReader> JsonReader::optional_elements(const char* key) const {
  return contains(key) ? elements(key) : std::vector<JsonReader>{};
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail(fmt::format("{}; expected a text", type_name()));
  return value_->get<std::string>();
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail(fmt::format("{}; expected true or false", type_name()));
  return value_->get<bool>();
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) const {
  const auto expected = [&] {
    return most == max_int64 ? fmt::format("a whole number of at least {}", least)
                             : fmt::format("a whole number from {} to {}", least, most);
  };
  if (!value_->is_number()) fail(fmt::format("{}; expected {}", type_name(), expected()));
  if (value_->is_number_float()) fail(fmt::format("{}; expected {}", value_->dump(), expected()));
  const bool too_large = value_->is_number_unsigned() &&
                         value_->get<std::uint64_t>() > static_cast<std::uint64_t>(max_int64);
  if (too_large || value_->get<std::int64_t>() < least || value_->get<std::int64_t>() > most) {
    fail(fmt::format("{}; expected {}", value_->dump(), expected()));
  }
  return value_->get<std::int64_t>();
}

double JsonReader::number(double least) const {
  if (!value_->is_number()) fail(fmt::format("{}; expected a number", type_name()));
  const double given = value_->get<double>();
  if (!std::isfinite(given) || given < least) {
    fail(fmt::format("{}; expected a number of at least {}", value_->dump(), least));
  }
  return given;
}

Quantity JsonReader::quantity(double least) const {
  if (!value_->is_object()) return number(least);
  expect_only({"value", "basis", "source"});
  return {child("value").number(least), child("basis").word(basis_words), text("source", "")};
}

std::string JsonReader::text(const char* key, const std::string& otherwise) const {
  return contains(key) ? child(key).text() : otherwise;
}

bool JsonReader::boolean(const char* key, bool otherwise) const {
  return contains(key) ? child(key).boolean() : otherwise;
}

std::int64_t JsonReader::integer(const char* key, std::int64_t otherwise) const {
  return contains(key) ? child(key).integer() : otherwise;
}

Quantity JsonReader::quantity(const char* key, Quantity otherwise) const {
  return contains(key) ? child(key).quantity() : otherwise;
}

std::string format_of(const JsonReader& document) { return document.text("format"); }

void JsonReader::expect_format(const std::string& format, std::int64_t version) const {
  const std::string given = text("format");
  if (given != format) {
    child("format").fail(fmt::format("the format {}; expected \"{}\"", in_quotes(given), format));
  }
  child("version").integer(version, version);
}

nlohmann::ordered_json to_json(const Quantity& quantity) {
  if (quantity.basis == Basis::stated) return quantity.value;
  nlohmann::ordered_json object = {{"value", quantity.value}, {"basis", to_string(quantity.basis)}};
  if (!quantity.source.empty()) object["source"] = quantity.source;
  return object;
}

void JsonText::start_member(const char* key) {
  text_ += first_member_ ? "" : ",\n ";
  first_member_ = false;
  text_ += '"';
  text_ += key;
  text_ += "\": ";
}

void JsonText::value(const char* key, const nlohmann::ordered_json& value) {
  raw(key, value.dump());
}

void JsonText::raw(const char* key, const std::string& json) {
  start_member(key);
  text_ += json;
}

void JsonText::begin_list(const char* key) {
  start_member(key);
  text_ += '[';
  first_element_ = true;
}

void JsonText::element(const nlohmann::ordered_json& value) { raw_element(value.dump()); }

void JsonText::raw_element(const std::string& json) {
  text_ += first_element_ ? "\n  " : ",\n  ";
  first_element_ = false;
  text_ += json;
}

void JsonText::end_list() { text_ += ']'; }

std::string JsonText::finish() {
  text_ += '}';
  return std::move(text_);
}

}  // namespace stint
