// Loops over tensors seen around their channels (ChannelView): maps with a few numbers per channel,
// and sums per channel, in one pass over memory whichever way the channels lie.
//
// Sums add up floats over few elements, then doubles, in an order that depends on the view alone.
#pragma once

#include <algorithm>

#include "executor/cpu/own/lanes.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {

// Channels that lie side by side are taken so many at a time, so that what is kept per channel
// stays on the stack.
inline constexpr std::int64_t channels_at_once = 512;

// Numbers of a channel, from an array with one every `stride` elements.
struct ChannelNumbers {
  const float* from;
  std::int64_t stride = 1;
};

// Channels from one on, over some rows: partial sums of G lanes side by side in registers, each
// channel's in the order of the rows. Several lanes read a row's bytes in one stretch, which memory
// is better at than at a few bytes of every row.
template <std::size_t G, std::size_t K, typename Terms>
void add_rows(const ChannelView& view, std::int64_t first_row, std::int64_t rows,
              std::int64_t channel, std::int64_t count, const Terms& terms,
              std::array<double, channels_at_once>* sums, std::int64_t first_channel) {
  std::array<Lanes, K> partial[G] = {};
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    for (std::size_t g = 0; g < G; ++g) {
      const std::int64_t own = channel + static_cast<std::int64_t>(g) * lane_count;
      const std::int64_t at = row * view.channels + own;
      const auto more =
          terms([=](const float* x) { return load_lanes(x + at, count); },
                [=](ChannelNumbers numbers) { return load_lanes(numbers.from + own, count); }, row);
      for (std::size_t k = 0; k < K; ++k) partial[g][k] += more[k];
    }
  }
  for (std::size_t g = 0; g < G; ++g) {
    for (std::size_t k = 0; k < K; ++k) {
      double* to =
          sums[k].data() + (channel - first_channel) + static_cast<std::int64_t>(g) * lane_count;
      for (std::int64_t i = 0; i < count; ++i) to[i] += static_cast<double>(partial[g][k][i]);
    }
  }
}

template <std::size_t K, typename Terms, typename Done>
void sum_last_channels(const ChannelView& view, const Terms& terms, const Done& done) {
  constexpr std::int64_t rows_at_once = 32;
  constexpr std::int64_t lanes_abreast = 4;
  for (std::int64_t first = 0; first < view.channels; first += channels_at_once) {
    const std::int64_t end = std::min(first + channels_at_once, view.channels);
    std::array<double, channels_at_once> sums[K] = {};
    for (std::int64_t row = 0; row < view.outer; row += rows_at_once) {
      const std::int64_t rows = std::min(rows_at_once, view.outer - row);
      std::int64_t channel = first;
      for (; channel + lanes_abreast * lane_count <= end; channel += lanes_abreast * lane_count)
        add_rows<lanes_abreast, K>(view, row, rows, channel, lane_count, terms, sums, first);
      for (; channel + lane_count <= end; channel += lane_count)
        add_rows<1, K>(view, row, rows, channel, lane_count, terms, sums, first);
      if (channel < end)
        add_rows<1, K>(view, row, rows, channel, end - channel, terms, sums, first);
    }
    for (std::int64_t channel = first; channel < end; ++channel) {
      std::array<double, K> of_channel;
      for (std::size_t k = 0; k < K; ++k) of_channel[k] = sums[k][channel - first];
      done(channel, of_channel);
    }
  }
}

// done(channel, sums) of K terms: terms(load, number, outer) gives lanes of each, where load(x) are
// elements of a tensor and number({array}) those of the channels they belong to.
template <std::size_t K, typename Terms, typename Done>
void sum_channels(const ChannelView& view, const Terms& terms, const Done& done) {
  if (view.inner == 1) return sum_last_channels<K>(view, terms, done);
  for (std::int64_t channel = 0; channel < view.channels; ++channel) {
    std::array<double, K> sums{};
    const auto number = [=](ChannelNumbers numbers) {
      return splat(numbers.from[channel * numbers.stride]);
    };
    for (std::int64_t outer = 0; outer < view.outer; ++outer) {
      const std::int64_t at = (outer * view.channels + channel) * view.inner;
      const auto more = sum_elements<K>(view.inner, [&](auto load) {
        return terms([&](const float* x) { return load(x + at); }, number, outer);
      });
      for (std::size_t k = 0; k < K; ++k) sums[k] += more[k];
    }
    done(channel, sums);
  }
}

// y = map(load, number): numbers_of(channel) gives P numbers of a channel, number(p) the lanes of
// the p-th.
template <std::size_t P, typename NumbersOf, typename Map>
void map_channels(const ChannelView& view, float* y, const NumbersOf& numbers_of, const Map& map) {
  for (std::int64_t first = 0; first < view.channels; first += channels_at_once) {
    const std::int64_t count = std::min(channels_at_once, view.channels - first);
    float table[P][channels_at_once];
    for (std::int64_t i = 0; i < count; ++i) {
      const std::array<float, P> numbers = numbers_of(first + i);
      for (std::size_t p = 0; p < P; ++p) table[p][i] = numbers[p];
    }
    for (std::int64_t outer = 0; outer < view.outer; ++outer) {
      const std::int64_t at = (outer * view.channels + first) * view.inner;
      if (view.inner == 1) {
        map_elements(count, y + at, [&](auto load) {
          return map([&](const float* x) { return load(x + at); },
                     [&](std::size_t p) { return load(table[p]); });
        });
        continue;
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t begin = at + i * view.inner;
        map_elements(view.inner, y + begin, [&](auto load) {
          return map([&](const float* x) { return load(x + begin); },
                     [&](std::size_t p) { return splat(table[p][i]); });
        });
      }
    }
  }
}

}  // namespace stint
