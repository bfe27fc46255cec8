// Writes one of our JSON files. The same values give the same bytes.
//
// For *_json.cpp files only, like json_reader.hpp, which includes it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "files/quantity.hpp"

namespace stint {

template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// A quantity as it stood in its file.
nlohmann::ordered_json to_json(const Quantity& quantity);

// A document's text: `{"key": value,\n "key": value}` with lists of objects one element a line, so
// that files diff well and large lists need no tree of JSON values in memory.
class JsonText {
 public:
  void reserve(std::size_t bytes) { text_.reserve(bytes); }  // for documents of many megabytes
  void value(const char* key, const nlohmann::ordered_json& value);
  void raw(const char* key, const std::string& json);  // already JSON, such as another document
  void begin_list(const char* key);
  void element(const nlohmann::ordered_json& value);
  void raw_element(const std::string& json);  // already JSON, for lists of a million entries
  void end_list();
  std::string finish();  // the whole document, without a newline at its end

 private:
  void start_member(const char* key);

  std::string text_ = "{";
  bool first_member_ = true;
  bool first_element_ = true;
};

}  // namespace stint
