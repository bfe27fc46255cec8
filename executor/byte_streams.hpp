// Bytes as the synthetic backend makes and digests them: a stream is an endless row of bytes that
// follows from a key; a digest is 64 bits that follow from a key and from every byte given.
//
// Not cryptographic: fast (several bytes a nanosecond) and sensitive, so that one wrong byte
// anywhere changes everything after it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace stint {

// A bijection of 64 bits that changes about half of them for any change of its argument
// (Steele, Lea, Flood 2014: SplitMix64).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// The key that follows from another and a name or a number.
std::uint64_t derive(std::uint64_t key, std::string_view name);
std::uint64_t derive(std::uint64_t key, std::int64_t number);

// Digests the bytes in order; the length counts too.
std::uint64_t digest(std::uint64_t key, std::span<const std::byte> bytes);

// Writes bytes `offset`, `offset` + 1, … of the key's stream.
void write_stream(std::uint64_t key, std::int64_t offset, std::span<std::byte> bytes);

}  // namespace stint
