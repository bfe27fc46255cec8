// Reads one of our JSON files strictly: every fault says where it is, what is wrong and what was
// expected, as `file: /path: fault; expected`. Keys that are unknown or written twice, nesting
// beyond reason, numbers that do not fit and text that is not UTF-8 are faults.
//
// For *_json.cpp files only: it shows nlohmann-json, which is slow to compile.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/input_error.hpp"
#include "files/json_text.hpp"
#include "files/parse_json.hpp"
#include "files/quantity.hpp"

namespace stint {

inline constexpr std::int64_t min_int64 = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t max_int64 = std::numeric_limits<std::int64_t>::max();
inline constexpr double any_number = std::numeric_limits<double>::lowest();  // as the least

// One value of a document, and the way to it. Holds a reference: the document must outlive it.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& value, std::string file, std::string path = "")
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  // "file: /path", for messages that are made elsewhere.
  std::string where() const { return file_ + ": " + (path_.empty() ? "/" : path_); }
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }

  [[noreturn]] void fail(const std::string& fault_and_expected) const;

  // Objects. `child` and the typed readers by key fail if the key is missing.
  void expect_only(std::span<const std::string_view> keys) const;
  void expect_only(std::initializer_list<std::string_view> keys) const {
    expect_only(std::span(keys.begin(), keys.size()));
  }
  bool contains(const char* key) const;  // present, even if null
  bool has(const char* key) const;       // present and not null
  bool is_null(const char* key) const;   // present and null
  JsonReader child(const std::string& key) const;
  std::vector<std::pair<std::string, JsonReader>> members() const;

  // Arrays.
  std::vector<JsonReader> elements() const;
  std::vector<JsonReader> elements(const char* key) const { return child(key).elements(); }
  std::vector<JsonReader> optional_elements(const char* key) const;

  // This value, typed.
  bool is_object() const { return value_->is_object(); }
  bool is_null() const { return value_->is_null(); }
  bool is_text() const { return value_->is_string(); }
  std::string text() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t least = 0, std::int64_t most = max_int64) const;
  double number(double least = 0) const;      // finite
  Quantity quantity(double least = 0) const;  // a plain number, or one with a basis

  // A member, typed, or the given value where the key is absent; null is a value of a wrong type.
  std::string text(const char* key) const { return child(key).text(); }
  std::string text(const char* key, const std::string& otherwise) const;
  bool boolean(const char* key, bool otherwise) const;
  std::int64_t integer(const char* key) const { return child(key).integer(); }
  std::int64_t integer(const char* key, std::int64_t otherwise) const;
  Quantity quantity(const char* key) const { return child(key).quantity(); }
  Quantity quantity(const char* key, Quantity otherwise) const;

  // A word of a fixed list, turned into the value beside it.
  template <typename Enum>
  Enum word(const std::vector<std::pair<std::string_view, Enum>>& words) const {
    const std::string given = text();
    for (const auto& [name, meaning] : words) {
      if (name == given) return meaning;
    }
    std::string all;
    for (const auto& [name, meaning] : words) all += (all.empty() ? "" : ", ") + std::string(name);
    fail("unknown word " + in_quotes(given) + "; expected one of " + all);
  }
  template <typename Enum>
  Enum word(const char* key, Enum otherwise,
            const std::vector<std::pair<std::string_view, Enum>>& words) const {
    return contains(key) ? child(key).word(words) : otherwise;
  }

  // Fails unless this is an object of the given "format" and a "version" that we read.
  void expect_format(const std::string& format, std::int64_t version) const;

 private:
  const nlohmann::json& object() const;
  const char* type_name() const;

  const nlohmann::json* value_;
  std::string file_;
  std::string path_;
};

// The "format" of a document, for programs that read any of our files.
std::string format_of(const JsonReader& document);

}  // namespace stint
