#include "models/layers/kind_json.hpp"

#include <fmt/format.h>

#include "models/layers/shape_json.hpp"

namespace stint {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What a number may be, by the name of its attribute: a name means the same in every op.
std::int64_t least_integer(std::string_view key) {
  if (key == "axis") return min_int64;  // counted from the end if negative
  return key == "padding" || key == "output_padding" || key == "order" || key == "seed" ? 0 : 1;
}

double least_number(std::string_view key) {
  const bool any_sign =
      key == "factor" || key == "offset" || key == "scale" || key == "min" || key == "max";
  return any_sign ? -infinity : 0;
}

bool is_below_one(std::string_view key) {
  return key == "probability" || key == "beta1" || key == "beta2";
}

struct KeyList {
  std::vector<std::string_view> keys;
  template <typename Value>
  void required(std::string_view key, const Value&) {
    keys.push_back(key);
  }
  template <typename Value>
  void optional(std::string_view key, const Value&) {
    keys.push_back(key);
  }
};

class AttributeReader {
 public:
  explicit AttributeReader(const JsonReader& owner) : owner_(owner) {}

  template <typename Value>
  void required(const char* key, Value& value) const {
    read(owner_.child(key), key, value);
  }
  template <typename Value>
  void optional(const char* key, Value& value) const {
    if (owner_.contains(key)) read(owner_.child(key), key, value);
  }

 private:
  static void read(const JsonReader& json, std::string_view, bool& value) {
    value = json.boolean();
  }
  static void read(const JsonReader& json, std::string_view, std::string& value) {
    value = json.text();
  }
  static void read(const JsonReader& json, std::string_view key, std::int64_t& value) {
    value = json.integer(least_integer(key));
  }
  static void read(const JsonReader& json, std::string_view key, double& value) {
    value = json.number(least_number(key));
    if (is_below_one(key) && value >= 1) {
      json.fail(fmt::format("{}; expected a number of at least 0 and below 1", value));
    }
  }
  static void read(const JsonReader& json, std::string_view key, std::optional<double>& value) {
    read(json, key, value.emplace());
  }
  static void read(const JsonReader& json, std::string_view key, std::vector<std::int64_t>& value) {
    value.clear();
    for (const JsonReader& element : json.elements()) {
      read(element, key, value.emplace_back());
    }
  }
  static void read(const JsonReader& json, std::string_view key, Pair& value) {
    std::vector<std::int64_t> list;
    read(json, key, list);
    if (list.size() != 2) {
      json.fail(fmt::format("{} numbers; expected 2: height, width", list.size()));
    }
    value = {list[0], list[1]};
  }
  static void read(const JsonReader& json, std::string_view key, Padding& value) {
    std::vector<std::int64_t> list;
    read(json, key, list);
    if (list.size() == 2) list.insert(list.end(), {list[0], list[1]});
    if (list.size() != 4) {
      json.fail(fmt::format("{} numbers; expected 2: height, width, or 4: top, left, bottom, right",
                            list.size()));
    }
    value = {list[0], list[1], list[2], list[3]};
  }
  static void read(const JsonReader& json, std::string_view, Shape& value) {
    constexpr std::int64_t what_remains = -1;
    value = shape_from_json(json, what_remains);
  }

  const JsonReader& owner_;
};

nlohmann::ordered_json json_of(const std::optional<double>& value) { return or_null(value); }
nlohmann::ordered_json json_of(const Shape& value) { return to_json(value); }
nlohmann::ordered_json json_of(const Padding& value) {
  const auto [top, left, bottom, right] = value;
  if (top == bottom && left == right) return Pair{top, left};
  return value;
}
template <typename Value>
nlohmann::ordered_json json_of(const Value& value) {
  return value;
}

// Adds attributes to an object, but for optional ones that are as in `defaults`, if given.
struct AttributeWriter {
  nlohmann::ordered_json& object;
  const nlohmann::ordered_json* defaults = nullptr;

  template <typename Value>
  void required(const char* key, const Value& value) {
    object[key] = json_of(value);
  }
  template <typename Value>
  void optional(const char* key, const Value& value) {
    nlohmann::ordered_json json = json_of(value);
    if (defaults == nullptr || json != (*defaults)[key]) object[key] = std::move(json);
  }
};

template <typename Kind>
nlohmann::ordered_json all_attributes(const Kind& kind) {
  nlohmann::ordered_json object;
  AttributeWriter writer{object};
  Kind::fields(kind, writer);
  return object;
}

template <typename... Kinds>
void add_changed_attributes(const std::variant<Kinds...>& kind, nlohmann::ordered_json& object) {
  std::visit(
      [&]<typename Kind>(const Kind& held) {
        static const nlohmann::ordered_json defaults = all_attributes(Kind());
        AttributeWriter writer{object, &defaults};
        Kind::fields(held, writer);
      },
      kind);
}

template <typename Kind>
Kind attributes_from_json(const JsonReader& owner, std::span<const std::string_view> others) {
  Kind kind;
  KeyList known{{"op"}};
  known.keys.insert(known.keys.begin(), others.begin(), others.end());
  Kind::fields(kind, known);
  owner.expect_only(known.keys);
  const AttributeReader reader(owner);
  Kind::fields(kind, reader);
  return kind;
}

template <typename... Kinds>
void read_kind(const JsonReader& owner, std::span<const std::string_view> others,
               std::variant<Kinds...>& kind) {
  const std::string op = owner.text("op");
  const auto is_it = [&]<typename Kind>(const Kind*) {
    if (op != Kind::op) return false;
    kind = attributes_from_json<Kind>(owner, others);
    return true;
  };
  if ((is_it(static_cast<const Kinds*>(nullptr)) || ...)) return;
  const std::vector<std::string_view> ops = {Kinds::op...};
  owner.child("op").fail(
      fmt::format("unknown op {}; expected one of {}", in_quotes(op), fmt::join(ops, ", ")));
}

}  // namespace

LayerKind layer_kind_from_json(const JsonReader& layer, std::span<const std::string_view> others) {
  LayerKind kind;
  read_kind(layer, others, kind);
  return kind;
}

LossKind loss_kind_from_json(const JsonReader& loss, std::span<const std::string_view> others) {
  LossKind kind;
  read_kind(loss, others, kind);
  return kind;
}

Optimizer optimizer_from_json(const JsonReader& optimizer) {
  Optimizer kind;
  read_kind(optimizer, {}, kind);
  return kind;
}

void add_attributes(const LayerKind& kind, nlohmann::ordered_json& object) {
  add_changed_attributes(kind, object);
}

void add_attributes(const LossKind& kind, nlohmann::ordered_json& object) {
  add_changed_attributes(kind, object);
}

void add_attributes(const Optimizer& kind, nlohmann::ordered_json& object) {
  add_changed_attributes(kind, object);
}

}  // namespace stint
