#include "benchmarks/overhead/starpu_session.hpp"

#include <starpu.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace stint {
namespace {

std::filesystem::path new_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "starpu-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), pattern);
  return pattern;
}

}  // namespace

void require_starpu(int code, const std::string& what) {
  if (code != 0) throw std::runtime_error(what + " failed with code " + std::to_string(code));
}

StarpuSession::StarpuSession(const std::string& scheduler, int workers) : folder_(new_folder()) {
  setenv("STARPU_HOME", folder_.c_str(), 1);
  setenv("STARPU_SILENT", "1", 1);
  setenv("STARPU_FXT_TRACE", "0", 1);
  starpu_conf conf;
  require_starpu(starpu_conf_init(&conf), "starpu_conf_init");
  conf.precedence_over_environment_variables = 1;
  conf.sched_policy_name = scheduler.c_str();
  conf.ncpus = workers;
  conf.ncuda = 0;
  conf.nopencl = 0;
  conf.catch_signals = 0;
  require_starpu(starpu_init(&conf), "starpu_init");
  if (static_cast<int>(starpu_cpu_worker_get_count()) != workers)
    throw std::runtime_error("StarPU found too few processors; expected " +
                             std::to_string(workers));
}

StarpuSession::~StarpuSession() {
  starpu_shutdown();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace stint
