#include "platforms/power/saved_settings.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "files/input_error.hpp"
#include "files/text_file.hpp"

namespace stint {
namespace {

using Kind = PowerSetting::Kind;
const std::string title = "stint-power 1";
const std::array<std::pair<Kind, std::string>, 3> kind_names = {
    {{Kind::file, "file"}, {Kind::gpu_limit, "gpu-limit"}, {Kind::gpu_clock, "gpu-clock"}}};

std::string name_of(Kind kind) {
  for (const auto& [known, name] : kind_names) {
    if (known == kind) return name;
  }
  return "";
}

std::optional<PowerSetting> setting_in(const std::string& line) {
  std::istringstream fields(line);
  std::string kind;
  PowerSetting setting;
  std::getline(fields, kind, '\t');
  std::getline(fields, setting.where, '\t');
  std::getline(fields, setting.value);
  for (const auto& [known, name] : kind_names) {
    if (name != kind) continue;
    setting.kind = known;
    return setting;
  }
  return std::nullopt;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string saved_settings_file() {
  std::string folder = variable("XDG_STATE_HOME");
  if (folder.empty()) folder = variable("HOME") + "/.local/state";
  return folder + "/stint/power";
}

void save_settings(const std::string& file, const std::vector<PowerSetting>& settings) {
  if (std::filesystem::exists(file)) {
    throw PowerFault(file + " is there: another run has set power states, or was killed",
                     "run --restore");
  }
  std::string text = title + '\n';
  for (const auto& [kind, where, value] : settings) {
    text += name_of(kind) + '\t' + where + '\t' + value + '\n';
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  write_text(file, text);
}

std::vector<PowerSetting> read_saved_settings(const std::string& file) {
  if (!std::filesystem::exists(file)) return {};
  std::istringstream lines(read_text(file));
  std::string line;
  std::getline(lines, line);
  if (line != title) throw InputError(file, "no file of ours; expected " + title);
  std::vector<PowerSetting> settings;
  for (int number = 2; std::getline(lines, line); ++number) {
    const auto setting = setting_in(line);
    if (!setting) {
      throw InputError(file, "line " + std::to_string(number) +
                                 " is no setting; expected file, gpu-limit or gpu-clock");
    }
    settings.push_back(*setting);
  }
  return settings;
}

void restore_saved_settings(const std::string& file, const PowerControl& control) {
  std::optional<PowerFault> first_fault;
  for (const PowerSetting& setting : read_saved_settings(file)) {
    try {
      control.write(setting);
    } catch (const PowerFault& fault) {
      if (!first_fault) first_fault = fault;
    }
  }
  if (first_fault) throw *first_fault;
  std::filesystem::remove(file);
}

}  // namespace stint
