// Standard output leads nowhere while one of these lives: for libraries that print what nobody
// asked for, where a program's data goes. HiGHS does so, whatever its options say, when it repairs
// a solution. Several may live at once, in any thread; the last one restores it.
#pragma once

namespace stint {

class SilentOutput {
 public:
  SilentOutput();
  ~SilentOutput();
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;
};

}  // namespace stint
