#include "planner/solver/silent_output.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <optional>

using namespace stint;

TEST_CASE("what libraries print while output is silent goes nowhere, and nothing else",
          "[solver]") {
  std::fflush(stdout);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  const int before = dup(STDOUT_FILENO);
  dup2(fileno(file.get()), STDOUT_FILENO);
  std::printf("data ");
  {
    std::optional<SilentOutput> outer(std::in_place);
    const SilentOutput inner;
    std::printf("noise ");
    outer.reset();
    std::printf("more noise ");
  }
  std::printf("more data");
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  char text[64] = {};
  std::rewind(file.get());
  REQUIRE(std::fgets(text, sizeof text, file.get()) != nullptr);
  CHECK(std::string(text) == "data more data");
}
