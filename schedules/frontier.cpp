#include "schedules/frontier.hpp"

#include "files/input_error.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"

namespace stint {

std::string summary(const Frontier& frontier) {
  TextTable table({{frontier.memory}, {"step"}, {"energy"}});
  for (const FrontierEntry& point : frontier.points) {
    table.row({bytes_text(point.bytes), point.seconds ? seconds_text(*point.seconds) : "-",
               point.joules ? joules_text(*point.joules) : "-"});
  }
  return "frontier   " + one_line(frontier.model) + " on " + one_line(frontier.platform) +
         ", least " + to_string(frontier.objective) + " for live bytes\n" + table.text();
}

}  // namespace stint
