#include "tests/repository/include_rule.hpp"

#include <algorithm>
#include <functional>
#include <regex>
#include <set>
#include <string_view>

namespace stint {
namespace {

using Folders = std::set<std::string>;

// What each folder may include of ours, besides itself. "files" is models/files: what all file
// formats share.
const std::map<std::string, Folders> allowed_folders = {
    {"models", {"files"}},
    {"platforms", {"files"}},
    {"schedules", {"files", "models", "platforms"}},
    {"planner", {"files", "models", "platforms", "schedules"}},
    {"executor", {"files", "models", "platforms", "schedules"}},
};
const Folders our_folders = {"models",   "platforms", "schedules",  "planner",
                             "executor", "tests",     "benchmarks", "files"};

bool is_main(const std::string& file) { return file.ends_with("/main.cpp"); }
bool is_source(const std::string& file) { return file.ends_with(".cpp"); }
bool is_json(const std::string& file) {
  return file.starts_with("models/files/") || file.find("_json.") != std::string::npos;
}
auto inside(const std::string& folder) {
  return [folder](const std::string& file) { return file.starts_with(folder); };
}

// A library is seen only where its rule says so: elsewhere it is slow to compile, or keeps a
// program from being built where the library is missing.
struct LibraryRule {
  std::string prefix;  // of what is included
  std::function<bool(const std::string&)> may_see;
  std::string where;
};

const std::vector<LibraryRule> library_rules = {
    {"nlohmann/", is_json, "*_json.* or models/files/"},
    {"files/json_reader.hpp", is_json, "*_json.* or models/files/"},
    {"CLI/", is_main, "main.cpp"},
    {"boost/", is_source, ".cpp files"},
    {"Eigen/", inside("executor/calibrate/nnls"), "executor/calibrate/nnls.cpp"},
    {"openssl/", inside("models/files/"), "models/files/"},
    {"hwloc", inside("platforms/"), "platforms/"},
    {"nvml", inside("platforms/"), "platforms/"},
    {"ortools/", inside("planner/"), "planner/"},
    {"protozero/",
     [](const std::string& file) {
       return file.starts_with("planner/") || file.starts_with("models/onnx/");
     },
     "planner/ and models/onnx/"},
    {"simgrid/", inside("schedules/simgrid_replay"), "schedules/simgrid_replay*"},
    {"dnnl", inside("executor/cpu/dnn/"), "executor/cpu/dnn/"},
    {"omp.h", inside("executor/cpu/dnn/"), "executor/cpu/dnn/"},
    {"cuda", inside("executor/cuda/"), "executor/cuda/"},
    {"cudnn", inside("executor/cuda/"), "executor/cuda/"},
    {"cublas", inside("executor/cuda/"), "executor/cuda/"},
    {"valijson/", inside("tests/"), "tests/"},
    {"catch2/", inside("tests/"), "tests/"},
};

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

std::vector<std::string> included_by(const std::string& text) {
  static const std::regex line("(^|\n)[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]");
  std::vector<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it)
    names.push_back((*it)[2]);
  return names;
}

void check_folder(const std::string& file, const std::string& included,
                  std::vector<std::string>& violations) {
  const std::string from = file.starts_with("models/files/") ? "files" : first_folder(file);
  const std::string to = included.starts_with("models/files/") ? "files" : first_folder(included);
  if (!our_folders.contains(to) || from == to || included.find('/') == std::string::npos) return;
  const auto allowed = allowed_folders.find(from);
  if (allowed == allowed_folders.end() ? from == "files" : !allowed->second.contains(to))
    violations.push_back(file + ": \"" + included + "\": " + from + " may not include " + to);
}

void check_library(const std::string& file, const std::string& included,
                   std::vector<std::string>& violations) {
  for (const LibraryRule& rule : library_rules) {
    if (included.starts_with(rule.prefix) && !rule.may_see(file))
      violations.push_back(file + ": \"" + included + "\": only " + rule.where + " may include it");
  }
}

bool is_exempt(const std::string& file) {
  return file.starts_with("tests/") || file.starts_with("benchmarks/");
}

}  // namespace

std::vector<std::string> include_violations(const SourceFiles& files) {
  std::vector<std::string> violations;
  Folders solver_files;  // the solver is hidden behind one file
  for (const auto& [file, text] : files) {
    if (is_exempt(file)) continue;
    for (const std::string& included : included_by(text)) {
      check_folder(file, included, violations);
      check_library(file, included, violations);
      const bool is_of_solver =
          included.starts_with("ortools/") || included.starts_with("protozero/");
      if (is_of_solver && file.starts_with("planner/")) solver_files.insert(file);
    }
  }
  if (solver_files.size() > 1)
    violations.push_back(*solver_files.rbegin() + ": only one file may see the solver, and " +
                         *solver_files.begin() + " does");
  return violations;
}

}  // namespace stint
