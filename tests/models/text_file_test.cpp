#include "files/text_file.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "files/input_error.hpp"

using namespace stint;
namespace fs = std::filesystem;

namespace {

// A folder of its own for every test, gone at its end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "stint-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    fs::permissions(path_, fs::perms::owner_all);
    fs::remove_all(path_);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const fs::path& path() const { return path_; }
  long entries() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

const std::string rest = "; expected a file, or a new one in a folder that can be written to";

}  // namespace

TEST_CASE("what is written is read back, byte by byte", "[text_file]") {
  const Folder folder;
  const std::string text = std::string("a\0b\r\n", 5) + std::string(200'000, 'x');
  write_text(folder / "file", text);
  REQUIRE(read_text(folder / "file") == text);
  REQUIRE(folder.entries() == 1);
}

TEST_CASE("writing replaces what was there", "[text_file]") {
  const Folder folder;
  write_text(folder / "file", "a long first text");
  write_text(folder / "file", "second");
  REQUIRE(read_text(folder / "file") == "second");
  REQUIRE(folder.entries() == 1);
}

TEST_CASE("a written file has the permissions of any new file", "[text_file]") {
  const Folder folder;
  const mode_t before = ::umask(027);
  write_text(folder / "file", "text");
  ::umask(before);
  REQUIRE((fs::status(folder / "file").permissions() & fs::perms::all) == fs::perms{0640});
}

TEST_CASE("a missing file and a folder cannot be read", "[text_file]") {
  const Folder folder;
  CHECK_THROWS_AS(read_text(folder / "none"), InputError);
  CHECK_THROWS_WITH(
      read_text(folder / "none"),
      (folder / "none") + ": cannot be read: No such file or directory; expected a file that can");
  CHECK_THROWS_WITH(
      read_text(folder.path()),
      folder.path().string() + ": cannot be read: Is a directory; expected a file that can");
}

TEST_CASE("nothing is written where a folder stands, and nothing is left behind", "[text_file]") {
  const Folder folder;
  fs::create_directory(folder / "target");
  CHECK_THROWS_AS(write_text(folder / "target", "text"), InputError);
  CHECK_THROWS_WITH(write_text(folder / "target", "text"),
                    (folder / "target") + ": cannot be written: Is a directory" + rest);
  CHECK(folder.entries() == 1);
  CHECK(fs::is_empty(folder / "target"));
}

TEST_CASE("nothing is written into a folder that does not exist", "[text_file]") {
  const Folder folder;
  CHECK_THROWS_AS(write_text(folder / "none/file", "text"), InputError);
  CHECK_THROWS_WITH(
      write_text(folder / "none/file", "text"),
      (folder / "none/file") + ": cannot be written: No such file or directory" + rest);
  CHECK(folder.entries() == 0);
}

TEST_CASE("nothing is written below a file", "[text_file]") {
  const Folder folder;
  write_text(folder / "file", "text");
  CHECK_THROWS_AS(write_text(folder / "file/below", "text"), InputError);
  CHECK(folder.entries() == 1);
}

TEST_CASE("nothing is written into a folder that forbids it", "[text_file]") {
  const Folder folder;
  write_text(folder / "file", "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  if (::access(folder.path().c_str(), W_OK) == 0) return;  // root may write anywhere
  CHECK_THROWS_AS(write_text(folder / "file", "new"), InputError);
  CHECK(read_text(folder / "file") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a link keeps pointing to the file that is replaced behind it", "[text_file]") {
  const Folder folder;
  write_text(folder / "file", "old");
  fs::create_symlink("file", folder / "link");
  write_text(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_text(folder / "file") == "new");
  CHECK(folder.entries() == 2);
}

TEST_CASE("a device is written to, not replaced", "[text_file]") {
  write_text("/dev/null", "text");
  REQUIRE(fs::is_character_file("/dev/null"));
}

TEST_CASE("a full disk is the machine's fault, not the user's", "[text_file]") {
  if (!fs::exists("/dev/full")) return;
  try {
    write_text("/dev/full", "text");
    FAIL("it was written");
  } catch (const InputError&) {
    FAIL("it was called bad input");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()) == "/dev/full: not written: No space left on device");
  }
}
