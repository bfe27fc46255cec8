// The kernels that a lowering pins, found by op and shape. Where several kinds of devices pin one,
// a task gets the largest of their workspaces, whichever runs it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/graph.hpp"
#include "models/lowering.hpp"

namespace stint {

class PinnedKernels {
 public:
  // Throws InputError if the list is out of order, or an entry is no sound one.
  explicit PinnedKernels(const std::vector<PinnedKernel>& kernels);

  std::optional<std::int64_t> workspace_bytes(const Task& task) const;
  // In which the op wants its weight; "" is as listed. Nothing if it is not pinned.
  std::optional<std::string> weight_order(const std::string& op, const std::string& shape) const;

 private:
  struct Needs {
    std::int64_t workspace_bytes = 0;
    std::string weight_order;
  };
  std::map<std::pair<std::string, std::string>, Needs> by_task_;
};

}  // namespace stint
