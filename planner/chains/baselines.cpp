#include "planner/chains/baselines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "files/input_error.hpp"
#include "planner/accept.hpp"
#include "planner/chains/device_chain.hpp"

namespace stint {
namespace {

[[noreturn]] void fail(const std::string& text, int stages) {
  throw InputError("--strategy segments", "positions " + in_quotes(text) +
                                              "; expected numbers from 0 to " +
                                              std::to_string(stages - 1) + ", such as 0,3");
}

std::vector<int> every_root(int stages) {
  const int step = std::max(1, static_cast<int>(std::lround(std::sqrt(stages))));
  std::vector<int> kept;
  for (int i = 0; i < stages; i += step) kept.push_back(i);
  return kept;
}

std::optional<Answer> keeping(const Problem& problem, const SearchOptions& options,
                              const std::string& name, const auto& positions) {
  const Recognised recognised = recognise_chain(problem.graph(), problem.before);
  if (!recognised.chain || !problem.request().recompute) return std::nullopt;
  const int stages = static_cast<int>(recognised.chain->stages.size());
  const std::vector<int> kept = positions(stages);
  for (std::size_t d = 0; d < problem.platform().devices.size(); ++d) {
    const auto chain =
        DeviceChain::make(problem, options, *recognised.chain, static_cast<DeviceId>(d));
    if (!chain) continue;
    Answer answer;
    const ChainOperations operations = segment_operations(arrays_of(chain->sizes()), kept);
    Schedule schedule = chain->finished({}, operations, {}, name);
    if (accept(problem, schedule, answer)) answer.schedule = std::move(schedule);
    return answer;
  }
  return std::nullopt;
}

}  // namespace

ChainOperations segment_operations(const ChainArrays& chain, const std::vector<int>& kept) {
  ChainOperations all;
  const auto forward = [&](int i) {
    all.push_back({chain.has_tape(i) ? ChainAction::forward_saving : ChainAction::forward, i});
  };
  for (int i = chain.stages - 1; i >= 0; --i) {
    const bool is_first = i + 1 == chain.stages;
    const int from = is_first ? 0 : *std::prev(std::upper_bound(kept.begin(), kept.end(), i));
    for (int k = from; k < i; ++k) all.push_back({ChainAction::forward, k});
    if (chain.needs_forward[i]) forward(i);
    all.push_back({ChainAction::backward, i});
  }
  return with_drops(chain, all);
}

std::vector<int> parse_positions(const std::string& text, int stages) {
  std::vector<int> kept{0};
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int position = 0;
    const auto [next, error] = std::from_chars(at, end, position);
    const bool is_good = error == std::errc() && position >= 0 && position < stages;
    if (!is_good || (next != end && *next != ',') || next + 1 == end) fail(text, stages);
    kept.push_back(position);
    at = next == end ? end : next + 1;
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

std::optional<Answer> recompute_all(const Problem& problem, const SearchOptions& options) {
  return keeping(problem, options, "recompute-all", [](int) { return std::vector<int>{0}; });
}

std::optional<Answer> segments_of_chain(const Problem& problem, const SearchOptions& options) {
  const std::string& asked = problem.request().strategy;
  const auto colon = asked.find(':');
  return keeping(problem, options, "segments", [&](int stages) {
    return colon == std::string::npos ? every_root(stages)
                                      : parse_positions(asked.substr(colon + 1), stages);
  });
}

}  // namespace stint
