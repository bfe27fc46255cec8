// What a layer, a loss or an optimizer is, in files: its "op" and attributes, read and written by
// the lists of `fields` in layer.hpp. Says what a single number may be; whether numbers fit each
// other is for infer.hpp. For *_json.cpp files only.
#pragma once

#include <span>
#include <string_view>

#include "files/json_reader.hpp"
#include "models/layers/layer.hpp"

namespace stint {

// Reads "op" and its attributes; `others` are the keys that the object may have besides.
LayerKind layer_kind_from_json(const JsonReader& layer, std::span<const std::string_view> others);
LossKind loss_kind_from_json(const JsonReader& loss, std::span<const std::string_view> others);
Optimizer optimizer_from_json(const JsonReader& optimizer);

// Attributes in the order of `fields`; those that have their default are left out.
void add_attributes(const LayerKind& kind, nlohmann::ordered_json& object);
void add_attributes(const LossKind& kind, nlohmann::ordered_json& object);
void add_attributes(const Optimizer& kind, nlohmann::ordered_json& object);

}  // namespace stint
