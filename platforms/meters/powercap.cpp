#include "platforms/meters/powercap.hpp"

#include <algorithm>
#include <set>

namespace stint {
namespace {

// A folder of the tree: `intel-rapl:0` is a package, `intel-rapl:0:1` a part of it.
struct Zone {
  std::string id;
  std::string path;
  std::string name;  // `package-0`, `dram`, …
  std::string control_type() const { return id.substr(0, id.find(':')); }
  bool is_top() const { return std::count(id.begin(), id.end(), ':') == 1; }
  std::string parent() const { return id.substr(0, id.rfind(':')); }
  bool is_mmio() const { return control_type().ends_with("-mmio"); }
};

class ZoneCounter : public EnergyCounter {
 public:
  ZoneCounter(std::string path, const SystemFiles& files) : path_(std::move(path)), files_(files) {}

  std::uint64_t read() override {
    std::string text;
    try {
      text = files_.read(path_);
    } catch (const SystemFileError& error) {
      throw CounterFault(error.what());
    }
    const auto microjoules = whole_number(text);
    if (!microjoules) throw CounterFault(path_ + ": no number of microjoules");
    return *microjoules;
  }

 private:
  std::string path_;
  const SystemFiles& files_;
};

// Zones stand side by side in the class folder and again inside each other: each counts once.
void find_zones(const std::string& folder, const SystemFiles& files, std::set<std::string>& seen,
                std::vector<Zone>& zones) {
  for (const std::string& id : files.names(folder)) {
    const std::string path = folder + "/" + id;
    if (id.find(':') == std::string::npos || !files.can_read(path + "/name")) continue;
    if (seen.insert(id).second) zones.push_back({id, path, files.read(path + "/name")});
    find_zones(path, files, seen, zones);
  }
}

std::vector<Zone> all_zones(const std::string& root, const SystemFiles& files) {
  std::set<std::string> seen;
  std::vector<Zone> zones;
  find_zones(root, files, seen, zones);
  for (const std::string& type : files.names(root)) {
    if (type.find(':') == std::string::npos) find_zones(root + "/" + type, files, seen, zones);
  }
  std::sort(zones.begin(), zones.end(), [](const Zone& a, const Zone& b) { return a.id < b.id; });
  return zones;
}

// The zone of the same name among those that are not mmio, below a parent of the same name.
bool is_duplicate(const Zone& zone, const std::vector<Zone>& zones) {
  return zone.is_mmio() && std::any_of(zones.begin(), zones.end(), [&](const Zone& other) {
           return !other.is_mmio() && other.is_top() == zone.is_top() && other.name == zone.name &&
                  other.id.substr(other.id.find(':')) == zone.id.substr(zone.id.find(':'));
         });
}

std::string name_of(const Zone& zone, const std::vector<Zone>& zones) {
  if (zone.is_top()) return zone.name;
  const auto named_alike = std::count_if(zones.begin(), zones.end(), [&](const Zone& other) {
    return !other.is_top() && other.name == zone.name && other.is_mmio() == zone.is_mmio();
  });
  if (named_alike == 1) return zone.name;
  const auto parent = std::find_if(zones.begin(), zones.end(),
                                   [&](const Zone& other) { return other.id == zone.parent(); });
  return parent == zones.end() ? zone.id : parent->name + "/" + zone.name;
}

DomainKind kind_of(const Zone& zone) {
  if (zone.name == "dram") return DomainKind::dram;
  if (zone.name.starts_with("psys")) return DomainKind::whole;
  return zone.is_top() ? DomainKind::package : DomainKind::part;
}

// Some ranges are 0, or missing: such a counter is believed never to begin anew.
std::optional<std::uint64_t> modulus_of(const Zone& zone, const SystemFiles& files) {
  constexpr std::uint64_t greatest = std::uint64_t{1} << 62U;
  const std::string file = zone.path + "/max_energy_range_uj";
  if (!files.can_read(file)) return std::nullopt;
  const auto range = whole_number(files.read(file));
  return range && *range > 0 && *range < greatest ? std::optional(*range + 1) : std::nullopt;
}

EnergyDomain domain_of(const Zone& zone, const std::vector<Zone>& zones, const SystemFiles& files) {
  EnergyDomain domain{
      .name = name_of(zone, zones), .kind = kind_of(zone), .modulus = modulus_of(zone, files)};
  const std::string file = zone.path + "/energy_uj";
  auto counter = std::make_unique<ZoneCounter>(file, files);
  try {
    counter->read();
    domain.counter = std::move(counter);
  } catch (const CounterFault& fault) {
    domain.why_not = fault.what();
  }
  return domain;
}

bool is_refused(const Zone& zone, const SystemFiles& files) {
  try {
    files.read(zone.path + "/energy_uj");
    return false;
  } catch (const SystemFileError& error) {
    return error.not_permitted();
  }
}

}  // namespace

EnergySource powercap_source(const std::string& root, const SystemFiles& files) {
  EnergySource source{.name = "powercap", .is_real = root == powercap_root || is_on_sysfs(root)};
  const std::vector<Zone> zones = all_zones(root, files);
  bool refused = false;
  for (const Zone& zone : zones) {
    const bool has_counter = files.can_read(zone.path + "/max_energy_range_uj") ||
                             files.can_read(zone.path + "/energy_uj") || is_refused(zone, files);
    if (!has_counter || is_duplicate(zone, zones)) continue;
    source.domains.push_back(domain_of(zone, zones, files));
    refused = refused || is_refused(zone, files);
  }
  if (source.domains.empty()) {
    source.why_none = files.names(root).empty() ? root + " is absent or empty"
                                                : root + " has no zone with an energy counter";
  }
  if (source.domains.empty() && source.is_real) {
    source.to_type = "sudo modprobe intel_rapl_msr (a virtual machine has no such counters)";
  }
  if (refused) source.to_type = "sudo chmod -R a+r " + root + "/intel-rapl*/";
  return source;
}

}  // namespace stint
