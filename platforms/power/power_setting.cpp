#include "platforms/power/power_setting.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace stint {
namespace {

using Kind = PowerSetting::Kind;
constexpr double tolerance = 0.02;

unsigned number_of(const std::string& text) {
  const auto number = whole_number(text);
  if (!number || *number > std::numeric_limits<unsigned>::max()) {
    throw PowerFault("\"" + text + "\" is no number that a GPU takes", "");
  }
  return static_cast<unsigned>(*number);
}

int gpu_of(const PowerSetting& setting) { return static_cast<int>(number_of(setting.where)); }

bool is_near(const std::string& found, const std::string& wanted) {
  const auto a = whole_number(found);
  const auto b = whole_number(wanted);
  if (!a || !b) return found == wanted;
  return std::abs(static_cast<double>(*a) - static_cast<double>(*b)) <=
         tolerance * static_cast<double>(*b);
}

// Turns what a library or the system says into what a user can do.
template <typename Call>
auto or_fault(Call call) {
  try {
    return call();
  } catch (const SystemFileError& error) {
    const std::string text = error.what();
    const std::string path = text.substr(0, text.find(": "));
    throw PowerFault(text, error.not_permitted() ? "sudo chmod a+w " + path : "");
  } catch (const NvmlError& error) {
    throw PowerFault(error.what(), error.not_permitted()
                                       ? "sudo setcap cap_sys_admin+ep $(command -v stint-run)"
                                       : "");
  }
}

}  // namespace

const Nvml& PowerControl::nvml() const {
  if (!nvml_) nvml_ = or_fault([&] { return std::make_unique<Nvml>(places_.nvml); });
  if (nvml_->gpus() == 0) throw PowerFault("there is no GPU", "");
  return *nvml_;
}

std::string PowerControl::value(const PowerSetting& setting) const {
  return or_fault([&]() -> std::string {
    if (setting.kind == Kind::file) return files_.read(setting.where);
    const int gpu = gpu_of(setting);
    if (gpu >= nvml().gpus()) throw PowerFault(fmt::format("there is no GPU {}", gpu), "");
    const bool limit = setting.kind == Kind::gpu_limit;
    return std::to_string(limit ? nvml().power_limit_milliwatts(gpu) : nvml().clock_mhz(gpu));
  });
}

void PowerControl::write(const PowerSetting& setting) const {
  or_fault([&] {
    if (setting.kind == Kind::file) return files_.write(setting.where, setting.value);
    const unsigned value = number_of(setting.value);
    const int gpu = gpu_of(setting);
    if (gpu >= nvml().gpus()) throw PowerFault(fmt::format("there is no GPU {}", gpu), "");
    if (setting.kind == Kind::gpu_limit) return nvml().set_power_limit_milliwatts(gpu, value);
    return value == 0 ? nvml().unlock_clock(gpu) : nvml().lock_clock_mhz(gpu, value);
  });
}

bool PowerControl::holds(const PowerSetting& setting) const {
  constexpr int most_looks = 20;
  if (setting.kind != Kind::gpu_clock) return is_near(value(setting), setting.value);
  for (int look = 0; look < most_looks; ++look) {
    if (is_near(value(setting), setting.value)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace stint
