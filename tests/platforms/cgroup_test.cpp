#include "platforms/cgroup.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

using namespace stint;

namespace {

// A tree of control groups in the build folder, gone with the test.
class FakeGroups {
 public:
  FakeGroups() { std::filesystem::remove_all(root_); }
  ~FakeGroups() { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  const std::filesystem::path& root() const { return root_; }

 private:
  // Tests may run side by side.
  std::filesystem::path root_ =
      std::filesystem::path(STINT_BINARY_DIR) / ("fake_cgroups." + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("the least limit on the way to the root holds", "[cgroup]") {
  const FakeGroups groups;
  groups.write("a/memory.max", "1000");
  groups.write("a/b/memory.max", "max");
  groups.write("a/b/c/memory.max", "2000");
  CHECK(memory_limit_bytes("0::/a/b/c\n", groups.root()) == 1000);
  CHECK(memory_limit_bytes("0::/a\n", groups.root()) == 1000);
}

TEST_CASE("a container's own group is the root", "[cgroup]") {
  const FakeGroups groups;
  groups.write("memory.max", "3000");
  CHECK(memory_limit_bytes("0::/\n", groups.root()) == 3000);
  CHECK(memory_limit_bytes("0::/docker/0123\n", groups.root()) == 3000);
}

TEST_CASE("the first version's limits hold too", "[cgroup]") {
  const FakeGroups groups;
  groups.write("memory/job/memory.limit_in_bytes", "4000");
  CHECK(memory_limit_bytes("4:memory:/job\n0::/\n", groups.root()) == 4000);
  CHECK(memory_limit_bytes("7:cpu,memory:/job\n", groups.root()) == 4000);
  CHECK_FALSE(memory_limit_bytes("5:cpu:/job\n", groups.root()));
}

TEST_CASE("no limit is no limit", "[cgroup]") {
  const FakeGroups groups;
  CHECK_FALSE(memory_limit_bytes("", groups.root()));
  CHECK_FALSE(memory_limit_bytes("no colons\n", groups.root()));
  CHECK_FALSE(memory_limit_bytes("0::/gone\n", groups.root()));
  groups.write("a/memory.max", "max");
  CHECK_FALSE(memory_limit_bytes("0::/a\n", groups.root()));
  groups.write("memory/memory.limit_in_bytes", "9223372036854771712");
  CHECK_FALSE(memory_limit_bytes("4:memory:/\n", groups.root()));
}
