#include "executor/seating.hpp"

#include <fmt/format.h>

#include "executor/accelerator.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

// Much longer than handing over to a running thread takes, and than putting one to sleep and waking
// it up again (some 50 µs); much shorter than anything that a waiting person notices.
constexpr double worker_spin_seconds = 500e-6;
constexpr double link_spin_seconds = 50e-6;
constexpr double crowded_spin_seconds = 2e-6;  // where another thread may need the core

}  // namespace

Seating::Seating(const Platform& platform, const Program& program) : workers_(workers(platform)) {
  for (const Worker& worker : workers_)
    roams_.push_back(worker.is_link() || is_gpu(platform.devices[worker.device]));
  for (const Lane& lane : program.lanes) {
    if (!workers_[lane.worker].is_link()) ++computing_;
  }
  for (const Lane& lane : program.lanes) {
    const bool is_link = workers_[lane.worker].is_link();
    const auto threads = is_link ? static_cast<int>(program.lanes.size()) : computing_;
    const double alone = is_link ? link_spin_seconds : worker_spin_seconds;
    spin_seconds_.push_back(threads <= cores_.count() ? alone : crowded_spin_seconds);
  }
}

Seating::~Seating() { cores_.pin_this_thread_to_all(); }

void Seating::pin(WorkerId worker) {
  const bool pinned =
      roams_[worker] ? cores_.pin_this_thread_to_all() : cores_.pin_this_thread(worker);
  if (!pinned) all_pinned_ = false;
}

std::vector<std::string> Seating::notes() const {
  std::vector<std::string> notes;
  if (computing_ > cores_.count()) {
    notes.push_back(fmt::format("{} share {}: they slow each other down",
                                count_text(computing_, "worker"),
                                count_text(cores_.count(), "core")));
  }
  if (!all_pinned_) notes.emplace_back("the system refused to pin threads to cores");
  return notes;
}

}  // namespace stint
