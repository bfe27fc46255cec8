#include "planner/memory_request.hpp"

#include <cmath>

#include "files/input_error.hpp"
#include "planner/keep_all.hpp"
#include "planner/problem.hpp"
#include "platforms/names.hpp"

namespace stint {

namespace {

std::string known_names(const Platform& platform) {
  std::string names;
  for (std::size_t m = 0; m < platform.memories.size(); ++m) {
    names += m == 0 ? "" : ", ";
    names += memory_name(platform, static_cast<MemoryId>(m));
  }
  return names;
}

// Memories that have that name in their node or, if there is none, those of devices that do.
std::vector<MemoryId> named_without_node(const Platform& platform, const std::string& name) {
  std::vector<MemoryId> found;
  for (std::size_t m = 0; m < platform.memories.size(); ++m) {
    if (platform.memories[m].name == name) found.push_back(static_cast<MemoryId>(m));
  }
  if (!found.empty()) return found;
  for (const Device& device : platform.devices) {
    if (device.name == name) found.push_back(device.memory);
  }
  return found;
}

MemoryId named(const Platform& platform, const std::string& name) {
  if (name.empty()) return default_memory(platform);
  if (const auto memory = find_memory(platform, name)) return *memory;
  if (const auto device = find_device(platform, name)) return platform.devices[*device].memory;
  const auto found = named_without_node(platform, name);
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    throw InputError("--memory", in_quotes(name) + " is in several nodes; expected one of " +
                                     memory_name(platform, found[0]) + ", " +
                                     memory_name(platform, found[1]));
  throw InputError("--memory", "no memory or device is named " + in_quotes(name) +
                                   "; expected one of " + known_names(platform));
}

std::int64_t bytes_of(const Size& size, MemoryId memory, const Problem& problem) {
  if (!size.percent) return size.bytes;
  const auto arena = keep_all_arena(problem, memory);
  const std::string name = memory_name(problem.platform(), memory);
  if (!arena)
    throw InputError("--memory", "keep-all has no plan that uses " + name +
                                     ", so there is nothing to take a percentage of; expected "
                                     "bytes");
  const double bytes = static_cast<double>(*arena) * *size.percent / 100;
  if (bytes >= static_cast<double>(huge_bytes))
    throw InputError("--memory", "the percentage is too large; expected at most 100%");
  return static_cast<std::int64_t>(std::floor(bytes));
}

}  // namespace

std::map<std::string, std::int64_t> memory_bounds(const std::vector<MemoryOption>& options,
                                                  const Model& model, const Platform& platform,
                                                  const Request& request,
                                                  const std::string& model_file) {
  std::map<std::string, std::int64_t> bounds;
  for (const MemoryOption& option : options) {
    const MemoryId memory = named(platform, option.name);
    const std::string name = memory_name(platform, memory);
    if (bounds.contains(name))
      throw InputError("--memory", "two bounds for " + name + "; expected one");
    bounds[name] =
        option.size.percent
            ? bytes_of(option.size, memory, make_problem(model, platform, request, model_file))
            : option.size.bytes;
  }
  return bounds;
}

}  // namespace stint
