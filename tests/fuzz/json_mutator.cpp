#include "tests/fuzz/json_mutator.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace stint {
namespace {

using Json = nlohmann::ordered_json;
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

template <typename List>
auto& any_of(Random& random, List& list) {
  return list[below(random, list.size())];
}

// A value, and the key under which it stands; entries of a list have the list's key.
struct Place {
  Json* value;
  std::string_view key;
};

void collect(Json& value, std::string_view key, std::vector<Place>& places) {
  places.push_back({&value, key});
  if (value.is_object()) {
    for (auto& [name, member] : value.get_ref<Json::object_t&>()) collect(member, name, places);
  } else if (value.is_array()) {
    for (Json& element : value) collect(element, key, places);
  }
}

Json odd_value(Random& random) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  static const std::array<Json, 20> values = {nullptr,
                                              true,
                                              Json::array(),
                                              Json::object(),
                                              "",
                                              "n0/cpu/0",
                                              "\x01\n\"",
                                              0,
                                              1,
                                              -1,
                                              2,
                                              65537,
                                              2147483648,
                                              most,
                                              -most,
                                              1e300,
                                              -1e-300,
                                              0.5,
                                              1e18,
                                              std::numeric_limits<std::uint64_t>::max()};
  return any_of(random, values);
}

// Wraps round: the results are only odd values.
std::int64_t nearby(std::int64_t number, Random& random) {
  const auto bits = static_cast<std::uint64_t>(number);
  const std::array<std::uint64_t, 6> results = {
      bits + 1, bits - 1, bits * 2, bits >> 1, 0 - bits, bits ^ (1ULL << below(random, 64))};
  return static_cast<std::int64_t>(any_of(random, results));
}

void change_scalar(Json& value, Random& random) {
  if (value.is_number_integer()) {
    value = nearby(value.get<std::int64_t>(), random);
  } else if (value.is_number_float()) {
    const std::array<double, 5> factors = {0, -1, 2, 1 + 1e-12, 1e200};
    value = value.get<double>() * any_of(random, factors);
    if (!std::isfinite(value.get<double>())) value = 1e308;  // JSON has no infinity
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_string()) {
    std::string text = value.get<std::string>();
    if (!text.empty() && below(random, 2) == 0) text.pop_back();
    if (below(random, 2) == 0) text += std::string_view("/>@~0x")[below(random, 6)];
    value = text;
  } else {
    value = odd_value(random);
  }
}

void change_list(Json& list, Random& random) {
  if (list.empty()) return list.push_back(odd_value(random));
  const std::size_t at = below(random, list.size());
  switch (below(random, 4)) {
    case 0:
      list.erase(at);
      break;
    case 1:
      list.push_back(Json(list[at]));
      break;
    case 2:
      std::swap(list[at], any_of(random, list));
      break;
    default:
      list[at] = odd_value(random);
  }
}

void change_object(Json& object, Random& random) {
  auto& members = object.get_ref<Json::object_t&>();
  if (members.empty() || below(random, 8) == 0) {
    object["unknown"] = odd_value(random);
  } else {
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(below(random, members.size())));
  }
}

// Another value of the document that stands under the same key: a name that exists, an id of
// something else, a list of another action.
void change_for_another(const Place& place, std::vector<Place>& places, Random& random) {
  std::vector<Json*> others;
  for (const Place& other : places) {
    if (other.key == place.key && other.value->type() == place.value->type())
      others.push_back(other.value);
  }
  *place.value = Json(*any_of(random, others));
}

void change_somewhere(Json& document, Random& random) {
  std::vector<Place> places;
  collect(document, "", places);
  const Place place = any_of(random, places);
  const std::size_t how = below(random, 8);
  if (how == 0) {
    *place.value = odd_value(random);
  } else if (how < 4) {
    change_for_another(place, places, random);
  } else if (place.value->is_array()) {
    change_list(*place.value, random);
  } else if (place.value->is_object()) {
    change_object(*place.value, random);
  } else {
    change_scalar(*place.value, random);
  }
}

std::string mutate_bytes(std::string text, Random& random) {
  if (text.empty()) return "{";
  const std::size_t at = below(random, text.size());
  switch (below(random, 4)) {
    case 0:
      text.resize(at);
      break;
    case 1:
      text[at] = static_cast<char>(random());
      break;
    case 2:
      text.insert(at, text.substr(below(random, text.size()), below(random, 64)));
      break;
    default:
      text.erase(at, 1 + below(random, 16));
  }
  return text;
}

}  // namespace

std::string mutate_json(const std::string& text, std::mt19937_64& random) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || below(random, 16) == 0) return mutate_bytes(text, random);
  for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes)
    change_somewhere(document, random);
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stint
