// Reads counters of energy over windows of time: begin, end, joules by domain; or why there are
// none. A domain whose counter failed, or did not move, has no joules: never a 0 that was not
// measured, never a negative number.
//
// Between begin and end a thread reads every counter often enough that none turns over unnoticed:
// at least every range / (4 · 2000 W), and once a second. A counter is brought up to date about
// every `refresh_seconds`, so each end of a window is uncertain by as much; over many windows, such
// as the steps of a run, that averages out. Cost: a few file reads at each end, outside of what is
// timed.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "platforms/meters/energy_domain.hpp"
#include "platforms/meters/energy_sum.hpp"

namespace stint {

using SecondsNow = std::function<double()>;
double steady_seconds();  // of the monotonic clock

struct DomainReading {
  std::string name;
  DomainKind kind = DomainKind::package;
  std::optional<double> joules;
  std::string why_not;  // if there are none
};

struct EnergyReading {
  double seconds = 0;  // in windows
  std::int64_t windows = 0;
  std::vector<DomainReading> domains;
};

class EnergyMeter {
 public:
  enum class Sampling { by_thread, by_hand };

  // Domains with a counter, such as probe() leaves. By hand: sample() is all that reads between
  // windows' ends.
  explicit EnergyMeter(std::vector<EnergyDomain> domains, SecondsNow now = steady_seconds,
                       Sampling sampling = Sampling::by_thread);
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  void begin_window();
  EnergyReading end_window();   // of the window that ends
  EnergyReading total() const;  // of all windows so far

  void sample();

 private:
  struct Metered {
    EnergyDomain domain;
    EnergySum sum;
    double begin_joules = 0;
    double window_joules = 0;
    double total_joules = 0;
  };
  void sample_locked();
  void sample_until_stopped();
  EnergyReading reading(double Metered::*joules, double seconds, std::int64_t windows) const;

  SecondsNow now_;
  mutable std::mutex reading_;
  std::vector<Metered> metered_;
  double begin_seconds_ = 0;
  double total_seconds_ = 0;
  std::int64_t windows_ = 0;
  double period_seconds_ = 1;
  bool stopped_ = false;
  std::condition_variable stop_;
  std::thread sampler_;
};

}  // namespace stint
