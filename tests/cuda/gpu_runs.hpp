// Runs of `run` on GPUs: of the host implementation of CUDA's libraries in tests/cuda_host, which
// stand where the real ones would be found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace stint {

// Settings of the host implementation by the last part of their name, such as {"MODE", "lazy"}.
using HostSettings = std::map<std::string, std::string>;

Ran run_on_host_libraries(const HostSettings& settings, const std::vector<std::string>& arguments);

// Another program of ours, with more of the environment ("NAME=VALUE") and more folders in which
// libraries are found.
Ran program_on_host_libraries(const std::string& program, const HostSettings& settings,
                              const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment = {},
                              const std::string& folders = "");

// A plan of the model for the platform, with more options; the path of its file.
std::string planned(const TemporaryFolder& folder, const std::string& model,
                    const std::string& platform, const std::vector<std::string>& options);

// A bundled network with the same layers and a fraction of the work: every whole number from 16 on
// divided, but for those that are given; the path of its file.
std::string smaller_network(const TemporaryFolder& folder, const std::string& name,
                            std::int64_t divisor,
                            const std::map<std::int64_t, std::int64_t>& others);

// What a report says: losses of every step, and the hash of the state that it ended with.
struct TrainedResult {
  std::vector<double> losses;
  std::string state_sha256;
};
TrainedResult trained_result(const std::string& report_file);

}  // namespace stint
