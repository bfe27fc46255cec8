// What a reader expects of the repository: a short top level, a README in every folder, links and
// commands that exist, nothing that only works on one machine.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/repository/tracked_files.hpp"

using namespace stint;

namespace {

// Every first group of the pattern in the text.
std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

std::set<std::string> tracked_pages() {
  std::set<std::string> pages;
  for (const std::string& path : tracked_files()) {
    if (path.ends_with(".md")) pages.insert(path);
  }
  return pages;
}

}  // namespace

TEST_CASE("the top level holds what a C++ project is expected to have, and no more",
          "[repository]") {
  const std::set<std::string> expected = {"CHANGELOG.md",    "CMakeLists.txt", "CMakePresets.json",
                                          "CONTRIBUTING.md", "LICENSE",        "Makefile",
                                          "README.md",       "benchmarks",     "executor",
                                          "models",          "planner",        "platforms",
                                          "schedules",       "tests"};
  std::set<std::string> found;
  for (const std::string& path : tracked_files()) {
    if (!path.starts_with(".")) found.insert(path.substr(0, path.find('/')));
  }
  REQUIRE(found == expected);
}

TEST_CASE("every folder of the design has a README", "[repository]") {
  const std::string folder =
      GENERATE("models", "platforms", "schedules", "planner", "executor", "benchmarks");
  CAPTURE(folder);
  REQUIRE_FALSE(tracked_text(folder + "/README.md").empty());
}

TEST_CASE("every make command that a page names exists", "[repository]") {
  const auto targets = matches(tracked_text("Makefile"), "(?:^|\n)([a-z-]+):");
  REQUIRE(targets.contains("demo"));
  REQUIRE(targets.contains("test"));
  for (const std::string& page : tracked_pages()) {
    for (const std::string& command :
         matches(tracked_text(page), "(?:`|\n    |\n\\$ |\n)make ([a-z-]+)")) {
      CAPTURE(page, command);
      CHECK(targets.contains(command));
    }
  }
}

TEST_CASE("every preset that a page names exists", "[repository]") {
  const auto presets = matches(tracked_text("CMakePresets.json"), "\"name\": \"([a-z]+)\"");
  for (const std::string& page : tracked_pages()) {
    for (const std::string& preset : matches(tracked_text(page), "--preset ([a-z]+)")) {
      CAPTURE(page, preset);
      CHECK(presets.contains(preset));
    }
  }
}

TEST_CASE("every link from page to page leads somewhere", "[repository]") {
  const std::filesystem::path top = STINT_SOURCE_DIR;
  for (const std::string& page : tracked_pages()) {
    for (const std::string& link : matches(tracked_text(page), "\\]\\(([^):#]+)\\)")) {
      CAPTURE(page, link);
      CHECK(std::filesystem::exists((top / page).parent_path() / link));
    }
  }
}

TEST_CASE("no tracked file names a place of one machine", "[repository]") {
  // Put together here, so that this file names none.
  const std::string slash = "/";
  const std::vector<std::string> places = {slash + "home/", slash + "root/", slash + "work/",
                                           slash + "Users/", slash + "opt/"};
  for (const std::string& path : tracked_files()) {
    const std::string text = tracked_text(path);
    for (const std::string& place : places) {
      CAPTURE(path, place);
      CHECK(text.find(place) == std::string::npos);
    }
  }
}
