#include "files/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

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

void JsonReader::expect_only(std::span<const std::string_view> keys) const {
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

}  // namespace stint
