#include "executor/byte_streams.hpp"

#include <algorithm>
#include <array>

namespace stint {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t word_at(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, word_bytes);
  return word;
}

std::uint64_t word_of_stream(std::uint64_t key, std::uint64_t index) {
  return mix(key + index * 0x9e3779b97f4a7c15U);
}

// The bytes of one word of the stream, from the given byte of it on.
void fill_part(std::uint64_t word, std::size_t from, std::span<std::byte> bytes) {
  std::array<std::byte, word_bytes> whole{};
  std::memcpy(whole.data(), &word, word_bytes);
  std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from), bytes.size(), bytes.begin());
}

}  // namespace

std::uint64_t derive(std::uint64_t key, std::string_view name) {
  return digest(key, std::as_bytes(std::span(name.data(), name.size())));
}

std::uint64_t derive(std::uint64_t key, std::int64_t number) {
  return mix(key ^ mix(static_cast<std::uint64_t>(number)));
}

// Four lanes at once hide the latency of the multiplications.
std::uint64_t digest(std::uint64_t key, std::span<const std::byte> bytes) {
  constexpr std::size_t lanes = 4;
  constexpr std::size_t block = lanes * word_bytes;
  constexpr std::uint64_t odd = 0xff51afd7ed558ccdU;
  std::array<std::uint64_t, lanes> sum = {key, key ^ 1U, key ^ 2U, key ^ 3U};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= block; left -= block, at += block) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t mixed = (sum[lane] ^ word_at(at + lane * word_bytes)) * odd;
      sum[lane] = mixed ^ (mixed >> 32U);
    }
  }
  std::uint64_t result = mix(key ^ bytes.size());
  for (; left > 0; at += std::min(left, word_bytes), left -= std::min(left, word_bytes)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, std::min(left, word_bytes));
    result = mix(result ^ word);
  }
  for (const std::uint64_t lane : sum) result = mix(result ^ lane);
  return result;
}

void write_stream(std::uint64_t key, std::int64_t offset, std::span<std::byte> bytes) {
  auto index = static_cast<std::uint64_t>(offset) / word_bytes;
  const std::size_t skip = static_cast<std::uint64_t>(offset) % word_bytes;
  if (skip != 0) {
    const std::size_t head = std::min(word_bytes - skip, bytes.size());
    fill_part(word_of_stream(key, index++), skip, bytes.first(head));
    bytes = bytes.subspan(head);
  }
  for (; bytes.size() >= word_bytes; bytes = bytes.subspan(word_bytes)) {
    const std::uint64_t word = word_of_stream(key, index++);
    std::memcpy(bytes.data(), &word, word_bytes);
  }
  if (!bytes.empty()) fill_part(word_of_stream(key, index), 0, bytes);
}

}  // namespace stint
