#include "models/training/layer_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::int64_t range_multiple = 16;  // floats of a cache line

bool is_power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

std::vector<std::int64_t> equal_pieces(std::int64_t leaves, std::int64_t of_piece) {
  std::vector<std::int64_t> begin;
  for (std::int64_t leaf = 0; leaf < leaves; leaf += of_piece) begin.push_back(leaf);
  begin.push_back(leaves);
  return begin;
}

// [begin, end) of all leaves: the last node of a level may have fewer.
bool is_node(std::int64_t begin, std::int64_t end, std::int64_t leaves) {
  const std::int64_t width =
      end < leaves
          ? end - begin
          : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(end - begin)));
  return is_power_of_two(width) && begin % width == 0;
}

std::vector<std::int64_t> listed_pieces(const Cut& cut, std::int64_t leaves,
                                        const std::string& where) {
  std::vector<std::int64_t> begin{0};
  for (std::size_t i = 0; i < cut.pieces.size(); ++i) {
    const std::int64_t size = cut.pieces[i];
    const std::string at = fmt::format("{}/pieces/{}", where, i);
    if (size < 1 || size > leaves - begin.back())
      throw InputError(
          at, fmt::format("{} leaves; expected 1 to the {} left", size, leaves - begin.back()));
    if (!is_node(begin.back(), begin.back() + size, leaves))
      throw InputError(at, fmt::format("leaves {} to {}; expected a node of the tree of leaves, "
                                       "2^j from a multiple of 2^j on",
                                       begin.back(), begin.back() + size - 1));
    begin.push_back(begin.back() + size);
  }
  if (begin.back() != leaves)
    throw InputError(where + "/pieces",
                     fmt::format("{} leaves together; expected {}", begin.back(), leaves));
  return begin;
}

std::vector<std::int64_t> pieces_of(const Cut& cut, std::int64_t leaves, const std::string& where) {
  if (!cut.pieces.empty()) return listed_pieces(cut, leaves, where);
  if (!is_power_of_two(cut.leaves))
    throw InputError(where,
                     fmt::format("pieces of {} leaves; expected a power of two", cut.leaves));
  return equal_pieces(leaves, std::min(cut.leaves, leaves));
}

// The merges of the tree of leaves above the pieces, by pieces.
std::vector<TreeMerge> merges_of(const std::vector<std::int64_t>& begin) {
  const int pieces = static_cast<int>(begin.size()) - 1;
  std::vector<TreeMerge> merges;
  if (pieces == 1) return merges;
  std::map<std::pair<int, int>, int> node;  // by the pieces that it stands for
  for (int piece = 0; piece < pieces; ++piece) node[{piece, piece + 1}] = piece;
  const auto at = [&](int leaf) {
    return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), leaf) - begin.begin() - 1);
  };
  for (const TreeMerge& merge : dyadic_merges(static_cast<int>(begin.back()))) {
    const int from = at(merge.begin);
    const int middle = at(merge.middle);
    const int to = at(merge.end);
    if (from == middle) continue;  // inside a piece
    merges.push_back({node.at({from, middle}), node.at({middle, to}), from, middle, to});
    node[{from, to}] = pieces + static_cast<int>(merges.size()) - 1;
  }
  return merges;
}

}  // namespace

std::map<std::string, LayerPieces> layer_pieces(const Network& network, const Lowering& lowering) {
  std::map<std::string, LayerPieces> all;
  for (const Layer& layer : network.layers) all[layer.name].begin = {0, lowering.leaves};
  all["loss"].begin = {0, lowering.leaves};
  for (std::size_t i = 0; i < lowering.cuts.size(); ++i) {
    const Cut& cut = lowering.cuts[i];
    const std::string where = fmt::format("/lowering/cuts/{}", i);
    const auto layer = all.find(cut.layer);
    if (layer == all.end())
      throw InputError(where,
                       fmt::format("no layer is named {}; expected one", in_quotes(cut.layer)));
    layer->second.begin = pieces_of(cut, lowering.leaves, where);
    layer->second.merges = merges_of(layer->second.begin);
  }
  return all;
}

std::vector<ElementRange> element_ranges(std::int64_t elements, std::int64_t ranges) {
  const std::int64_t lines = (elements + range_multiple - 1) / range_multiple;
  const std::int64_t lines_each = std::max<std::int64_t>(1, (lines + ranges - 1) / ranges);
  std::vector<ElementRange> all;
  for (std::int64_t begin = 0; begin < elements; begin += lines_each * range_multiple)
    all.push_back({begin, std::min(begin + lines_each * range_multiple, elements)});
  return all;
}

}  // namespace stint
