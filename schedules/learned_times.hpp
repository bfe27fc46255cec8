// Planning again with what a run measured: its times take the place of those that the model states
// or the platform's time models predict.
//
// A graph of tasks gets the seconds of every task, by name, on the device that ran it. Tasks of a
// network follow from its layers, so there the platform gets them, as measured kernels of the same
// op and shape; tasks that are alike share their mean. Links become slower or faster by what all
// copies over them took together. What was not run keeps its prediction.
#pragma once

#include <string>

#include "models/model.hpp"
#include "platforms/platform.hpp"
#include "schedules/run_report.hpp"

namespace stint {

// Throws InputError unless the report tells times of this model that were measured in a replay of
// its plan; `file` is the report's name in messages.
void learn_times(const RunReport& report, const std::string& file, Model& model,
                 Platform& platform);

}  // namespace stint
