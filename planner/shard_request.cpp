#include "planner/shard_request.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "files/input_error.hpp"
#include "planner/grains/choose_shards.hpp"

namespace stint {
namespace {

constexpr const char* option = "--shard";
constexpr std::string_view expected =
    "; expected LAYER=columns:N, rows:N, channels:N or heads:N, or N, auto or off";

std::optional<std::int64_t> count_in(std::string_view text) {
  std::int64_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool good = error == std::errc{} && stop == text.data() + text.size() && count >= 1;
  return good ? std::optional(count) : std::nullopt;
}

// Stars stand for any characters; the last star that may take more takes more.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

struct ShardOption {
  std::string layers;
  ShardBy by = ShardBy::columns;
  std::int64_t count = 1;
};

ShardOption parse(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t colon = text.rfind(':');
  if (equals != std::string::npos && colon != std::string::npos && equals < colon) {
    const std::string by = text.substr(equals + 1, colon - equals - 1);
    const auto count = count_in(std::string_view(text).substr(colon + 1));
    for (const ShardBy known :
         {ShardBy::columns, ShardBy::rows, ShardBy::channels, ShardBy::heads}) {
      if (count && by == to_string(known)) return {text.substr(0, equals), known, *count};
    }
  }
  throw InputError(option, in_quotes(text) + std::string(expected));
}

std::vector<Shard> named(const std::vector<std::string>& options, const Network& network) {
  std::vector<Shard> shards;
  for (const std::string& text : options) {
    const ShardOption asked = parse(text);
    const std::size_t before = shards.size();
    for (const Layer& layer : network.layers) {
      if (matches(asked.layers, layer.name)) shards.push_back({layer.name, asked.by, asked.count});
    }
    if (shards.size() == before)
      throw InputError(option, "no layer is named " + in_quotes(asked.layers) + "; expected one");
  }
  return shards;
}

}  // namespace

bool is_left_to_the_planner(const std::vector<std::string>& options) {
  return options.size() == 1 && options[0] == "auto";
}

std::vector<Shard> shards_of(const std::vector<std::string>& options, const Model& model,
                             const Platform& platform, const Request& request,
                             const std::string& model_file) {
  if (options.empty() || (options.size() == 1 && options[0] == "off")) return {};
  const auto* const network = std::get_if<Network>(&model);
  if (network == nullptr)
    throw InputError(option,
                     options[0] + ", which needs layers to cut; expected a model of layers");
  if (options.size() > 1) return named(options, *network);
  if (is_left_to_the_planner(options))
    return choose_shards(*network, platform, request, model_file);
  const auto count = count_in(options[0]);
  if (!count) return named(options, *network);
  const auto shards = shards_everywhere(*network, *count, ShardReach::all);
  if (shards.empty())
    throw InputError(option, options[0] +
                                 " shards, and no layer can be cut into so many; expected "
                                 "fewer");
  return shards;
}

}  // namespace stint
