// StarPU started with one scheduler on so many processors, and stopped at the end. One at a time in
// a process. What it writes, it writes into a folder that is gone afterwards.
#pragma once

#include <filesystem>
#include <string>

namespace stint {

// Throws std::runtime_error if a call of StarPU's has failed.
void require_starpu(int code, const std::string& what);

class StarpuSession {
 public:
  StarpuSession(const std::string& scheduler, int workers);
  ~StarpuSession();
  StarpuSession(const StarpuSession&) = delete;
  StarpuSession& operator=(const StarpuSession&) = delete;

 private:
  std::filesystem::path folder_;
};

}  // namespace stint
