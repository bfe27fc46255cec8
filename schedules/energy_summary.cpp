#include "schedules/energy_summary.hpp"

#include <algorithm>

#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Align = TextTable::Align;

std::string measured_text(const EnergyDomain& domain) {
  if (!domain.counter) return "no: " + domain.why_not;
  std::string text = "yes, " + watts_text(domain.probed_watts) + " at work";
  if (!domain.remark.empty()) text += ", " + domain.remark;
  return text;
}

std::string place_text(DomainKind kind) {
  if (kind == DomainKind::part) return "never: part of a package";
  return kind == DomainKind::whole ? "never: contains the packages" : "yes";
}

bool is_measured(const EnergyDomain& domain) { return domain.counter && domain.is_added(); }

}  // namespace

std::string summary(const std::vector<EnergySource>& sources) {
  TextTable table({{"counters", Align::left},
                   {"domain", Align::left},
                   {"counted", Align::left},
                   {"measured", Align::left}});
  bool any = false;
  for (const EnergySource& source : sources) {
    if (source.domains.empty()) table.row({source.name, "", "", "no: " + source.why_none});
    for (const EnergyDomain& domain : source.domains) {
      table.row({source.name, domain.name, place_text(domain.kind), measured_text(domain)});
      any = any || is_measured(domain);
    }
  }
  std::string text = table.text();
  if (!any) {
    text +=
        "energy: nothing here measures it; joules are modelled from these prices, the assumed "
        "included\n";
  }
  for (const EnergySource& source : sources) {
    if (!source.to_type.empty()) text += "to read " + source.name + ": " + source.to_type + '\n';
  }
  return text;
}

std::string summary(const std::vector<PowerKnob>& knobs) {
  TextTable table({{"power states", Align::left},
                   {"of", Align::left},
                   {"range", Align::left},
                   {"can be set", Align::left}});
  std::string text;
  for (const PowerKnob& knob : knobs) {
    const std::string range = knob.range.empty() ? "-" : knob.range;
    table.row({knob.quantity, knob.unit, range, knob.can_be_set ? "yes" : "no: " + knob.why_not});
    if (!knob.to_type.empty())
      text += "to set a " + knob.quantity + " of " + knob.unit + ": " + knob.to_type + '\n';
  }
  return table.text() + text;
}

}  // namespace stint
