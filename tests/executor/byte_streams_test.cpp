#include "executor/byte_streams.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

using namespace stint;

TEST_CASE("any piece of a stream is the same bytes", "[byte_streams]") {
  std::vector<std::byte> whole(100);
  write_stream(42, 0, whole);
  for (std::size_t begin = 0; begin < 20; ++begin) {
    for (std::size_t size = 0; size < 40; ++size) {
      std::vector<std::byte> piece(size);
      write_stream(42, static_cast<std::int64_t>(begin), piece);
      REQUIRE(std::equal(piece.begin(), piece.end(), whole.begin() + begin));
    }
  }
}

TEST_CASE("a digest depends on the key, the length and every byte", "[byte_streams]") {
  std::vector<std::byte> bytes(75);
  write_stream(1, 0, bytes);
  const std::uint64_t sum = digest(7, bytes);
  CHECK(digest(8, bytes) != sum);
  CHECK(digest(7, std::span(bytes).first(74)) != sum);
  CHECK(digest(7, std::span(bytes).first(0)) != 7);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::byte before = bytes[i];
    bytes[i] ^= std::byte{1};
    CHECK(digest(7, bytes) != sum);
    bytes[i] = before;
  }
  CHECK(digest(7, bytes) == sum);
}

TEST_CASE("trailing zeros are not lost in a digest", "[byte_streams]") {
  const std::array<std::byte, 16> zeros{};
  for (std::size_t a = 0; a < zeros.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      CHECK(digest(0, std::span(zeros).first(a)) != digest(0, std::span(zeros).first(b)));
    }
  }
}

TEST_CASE("names and numbers give keys of their own", "[byte_streams]") {
  CHECK(derive(0, "a") != derive(0, "b"));
  CHECK(derive(0, "a") != derive(1, "a"));
  CHECK(derive(0, 1) != derive(0, 2));
  CHECK(derive(derive(0, 1), 2) != derive(derive(0, 2), 1));
}
