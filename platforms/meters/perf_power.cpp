#include "platforms/meters/perf_power.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "platforms/processor_list.hpp"

namespace stint {
namespace {

class EventCounter : public EnergyCounter {
 public:
  EventCounter(int descriptor, std::string name, const PerfEvents& events)
      : descriptor_(descriptor), name_(std::move(name)), events_(events) {}
  ~EventCounter() override { events_.close(descriptor_); }

  std::uint64_t read() override {
    const auto units = events_.read(descriptor_);
    if (!units) throw CounterFault(name_ + ": the event gives no count any more");
    return *units;
  }

 private:
  int descriptor_;
  std::string name_;
  const PerfEvents& events_;
};

// `event=0x02`.
std::optional<std::uint64_t> config_of(const std::string& text) {
  const std::string key = "event=0x";
  if (!text.starts_with(key)) return std::nullopt;
  std::uint64_t config = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + key.size(), end, config, 16);
  return error == std::errc{} && stopped == end ? std::optional(config) : std::nullopt;
}

struct EventName {
  std::string event;
  std::string domain;
  DomainKind kind;
};
const EventName known_events[] = {{"energy-pkg", "package", DomainKind::package},
                                  {"energy-ram", "dram", DomainKind::dram},
                                  {"energy-cores", "core", DomainKind::part},
                                  {"energy-gpu", "uncore", DomainKind::part},
                                  {"energy-psys", "psys", DomainKind::whole}};

class EventFolder {
 public:
  EventFolder(std::string root, const SystemFiles& files, const PerfEvents& events)
      : root_(std::move(root)), files_(files), events_(events) {}

  EnergySource source() {
    source_.name = "perf";
    source_.is_real = root_ == perf_power_root || is_on_sysfs(root_);
    const auto type = whole_number(text_of("type"));
    const std::vector<int> processors = processors_in(text_of("cpumask"));
    for (const EventName& name : known_events) {
      const std::string text = text_of("events/" + name.event);
      if (!text.empty() && type) add_event(name, static_cast<std::uint32_t>(*type), processors);
    }
    if (source_.domains.empty()) source_.why_none = why_none();
    return std::move(source_);
  }

 private:
  std::string text_of(const std::string& file) const {
    try {
      return files_.read(root_ + "/" + file);
    } catch (const SystemFileError&) {
      return "";
    }
  }

  std::string why_none() const {
    if (files_.names(root_).empty()) return root_ + " is absent";
    return root_ + " has 0 events of energy";
  }

  void add_event(const EventName& name, std::uint32_t type, const std::vector<int>& processors) {
    const auto config = config_of(text_of("events/" + name.event));
    const double scale = std::strtod(text_of("events/" + name.event + ".scale").c_str(), nullptr);
    const bool in_joules = text_of("events/" + name.event + ".unit") == "Joules";
    for (std::size_t i = 0; i < processors.size(); ++i) {
      EnergyDomain domain{.name = name.domain, .kind = name.kind, .joules_per_unit = scale};
      if (name.kind == DomainKind::package || processors.size() > 1) {
        domain.name += fmt::format("-{}", i);
      }
      if (!config || !in_joules || !(scale > 0) || !std::isfinite(scale)) {
        domain.why_not = name.event + " is not described in joules";
      } else {
        open(domain, name.event, type, *config, processors[i]);
      }
      source_.domains.push_back(std::move(domain));
    }
  }

  void open(EnergyDomain& domain, const std::string& event, std::uint32_t type,
            std::uint64_t config, int cpu) {
    const int descriptor = events_.open(type, config, cpu);
    if (descriptor >= 0) {
      domain.counter = std::make_unique<EventCounter>(descriptor, event, events_);
      return;
    }
    domain.why_not = fmt::format("{}: {}", event, std::strerror(-descriptor));
    if (descriptor == -EACCES || descriptor == -EPERM) {
      source_.to_type = "sudo sysctl kernel.perf_event_paranoid=0";
    }
  }

  std::string root_;
  const SystemFiles& files_;
  const PerfEvents& events_;
  EnergySource source_;
};

}  // namespace

int PerfEvents::open(std::uint32_t type, std::uint64_t config, int cpu) const {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  const long descriptor =
      ::syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return descriptor < 0 ? -errno : static_cast<int>(descriptor);
}

std::optional<std::uint64_t> PerfEvents::read(int descriptor) const {
  std::uint64_t units = 0;
  if (::read(descriptor, &units, sizeof units) != sizeof units) return std::nullopt;
  return units;
}

void PerfEvents::close(int descriptor) const { ::close(descriptor); }

const PerfEvents& PerfEvents::real() {
  static const PerfEvents events;
  return events;
}

EnergySource perf_power_source(const std::string& root, const SystemFiles& files,
                               const PerfEvents& events) {
  return EventFolder(root, files, events).source();
}

}  // namespace stint
