#include "files/json_text.hpp"

namespace stint {

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
