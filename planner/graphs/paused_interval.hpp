// What is there beside a run inside an interval of the master problem (moments.hpp).
//
// Between two moments the master knows who runs, not when. At one run it can be asked more: what is
// there at the next moment, or is read by those who wait for the run, is there while it runs, or is
// written after it; and who runs after it has what it reads from there on in the same way. (A run
// that could write anew what takes much from what takes more is no way out then.) One boolean for
// every item that may be there and every task that may run after it.
#pragma once

#include "planner/graphs/moment_model.hpp"

namespace stint {

class PausedInterval {
 public:
  // At the run of the task in the interval: the one before its first reader, if there are some.
  PausedInterval(MomentModel& model, int interval, const CountedRun& run);

  // By item: beside what the task itself reads and writes.
  const Facts& there() const { return there_; }

 private:
  bool touches(GraphItemId item) const;
  void wait_for_readers();
  bool note_reader(TaskId writer, TaskId reader, std::vector<VariableId>& otherwise) const;
  // Unless one of the literals holds, the item is there or comes after the run.
  void require(GraphItemId item, std::vector<VariableId> unless);
  Fact there(GraphItemId item);
  Fact written_after(GraphItemId item);
  Fact runs_after(TaskId task);

  MomentModel& m_;
  int k_;
  const CountedRun& counted_;
  Facts there_;
  Facts runs_after_;   // by task
  Facts comes_after_;  // by input
};

}  // namespace stint
