// The values that a run found before it set power states, kept in a file until they are put back:
// what `run --restore` needs after a kill. Written whole before the first setting is made, removed
// after the last is put back.
//
// `$XDG_STATE_HOME/stint/power`, or `~/.local/state/stint/power`. The first line is `stint-power
// 1`; then a line for every value, in the order in which they are to be written: `file`,
// `gpu-limit` or `gpu-clock`, the place, the value, with tabs between.
#pragma once

#include <string>
#include <vector>

#include "platforms/power/power_setting.hpp"

namespace stint {

std::string saved_settings_file();  // of this user

// Makes the folders. Throws PowerFault if the file is there already: another run has set states, or
// was killed.
void save_settings(const std::string& file, const std::vector<PowerSetting>& settings);

// None if there is no file. Throws InputError if it is not one of ours.
std::vector<PowerSetting> read_saved_settings(const std::string& file);

// Writes all of them, as far as it goes, and then removes the file. Throws PowerFault, for the
// first that could not be written, and then keeps the file.
void restore_saved_settings(const std::string& file, const PowerControl& control);

}  // namespace stint
