// Time models that users of StarPU know, for comparison: both see a task as the number of its bytes
// alone.
//
// Not StarPU's own code: there a history forgets its first sample, wants ten, and is emptied when
// half of them are off by more than half; a history here is made of measurements that are good from
// the start.
#pragma once

#include <optional>
#include <vector>

namespace stint {

// STARPU_REGRESSION_BASED: y = alpha · x^beta, least squares over ln x and ln y.
struct PowerLaw {
  double alpha = 0;
  double beta = 0;
  bool is_valid = false;  // at least ten samples, whose sizes are not all nearly the same
  double least_size = 0;  // between these two it is used
  double most_size = 0;

  std::optional<double> at(double size) const;
};
PowerLaw fit_power_law(const std::vector<double>& sizes, const std::vector<double>& seconds);

// STARPU_HISTORY_BASED: the mean of what was seen of the same size. Of a size that was never seen
// StarPU says nothing; here the nearest, as a ratio, speaks for it.
class History {
 public:
  History(std::vector<double> sizes, std::vector<double> seconds);
  double at(double size) const;

 private:
  std::vector<double> sizes_;
  std::vector<double> seconds_;
};

}  // namespace stint
