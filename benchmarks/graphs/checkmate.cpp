#include "benchmarks/graphs/checkmate.hpp"

#include <map>

namespace stint {

namespace {

constexpr double infinity = 1e300;  // beyond every bound: MathOpt takes real infinities only

class Encoding {
 public:
  Encoding(const Problem& problem, std::int64_t capacity_bytes)
      : problem_(problem),
        n_(static_cast<int>(problem.graph().tasks.size())),
        users_(n_),
        capacity_(static_cast<double>(capacity_bytes)) {
    for (int j = 0; j < n_; ++j) {
      for (const TaskId i : problem.needs[j]) users_[i].push_back(j);
    }
  }

  Milp make() {
    add_columns();
    for (int t = 0; t < n_; ++t) {
      add_needs(t);
      if (t > 0) add_keeps(t);
      add_memory(t);
    }
    return std::move(milp_);
  }

 private:
  // Bytes in units of the capacity, so that the numbers of the program are near one.
  double size(int task) const {
    const TensorId tensor = problem_.graph().tasks[task].writes.front();
    return static_cast<double>(problem_.graph().tensors[tensor].bytes) / capacity_;
  }

  void add_columns() {
    run_.assign(n_, {});
    keep_.assign(n_, {});
    for (int t = 0; t < n_; ++t) {
      for (int i = 0; i <= t; ++i) {
        const double least = i == t ? 1 : 0;
        run_[t].push_back(milp_.add_column(least, 1, problem_.seconds[0][i], true));
      }
      for (int i = 0; i < t; ++i) keep_[t].push_back(milp_.add_column(0, 1, 0, true));
    }
  }

  // What a run reads is kept or runs in the same stage.
  void add_needs(int t) {
    for (int j = 0; j <= t; ++j) {
      for (const TaskId i : problem_.needs[j])
        milp_.add_row(0, infinity, {{run_[t][i], 1}, {keep_[t][i], 1}, {run_[t][j], -1}});
    }
  }

  void add_keeps(int t) {
    for (int i = 0; i < t; ++i) {
      std::vector<MilpTerm> terms{{keep_[t][i], -1}, {run_[t - 1][i], 1}};
      if (i < t - 1) terms.push_back({keep_[t - 1][i], 1});
      milp_.add_row(0, infinity, terms);
    }
  }

  // The fraction of i's result that goes after k ran in stage t.
  int freed_after(int t, int i, int k) {
    const int freed = milp_.add_column(0, 1, 0, false);
    milp_.add_row(0, infinity, {{run_[t][k], 1}, {freed, -1}});
    if (t + 1 < n_) milp_.add_row(-infinity, 1, {{freed, 1}, {keep_[t + 1][i], 1}});
    for (const int j : users_[i]) {
      if (j > k && j <= t) milp_.add_row(-infinity, 1, {{freed, 1}, {run_[t][j], 1}});
    }
    return freed;
  }

  void add_memory(int t) {
    int before = -1;
    std::vector<MilpTerm> freed;  // after the run before, negative
    for (int k = 0; k <= t; ++k) {
      const int used = milp_.add_column(0, 1, 0, false);
      std::vector<MilpTerm> terms = freed;
      terms.push_back({used, -1});
      terms.push_back({run_[t][k], size(k)});
      if (k == 0) {
        for (int i = 0; i < t; ++i) terms.push_back({keep_[t][i], size(i)});
      } else {
        terms.push_back({before, 1});
      }
      milp_.add_row(0, 0, terms);
      before = used;
      freed.clear();
      freed.push_back({freed_after(t, k, k), -size(k)});
      for (const TaskId i : problem_.needs[k]) freed.push_back({freed_after(t, i, k), -size(i)});
    }
  }

  const Problem& problem_;
  int n_;
  std::vector<std::vector<int>> users_;
  double capacity_;
  Milp milp_;
  std::vector<std::vector<int>> run_, keep_;  // columns by stage and task
};

}  // namespace

Milp checkmate_milp(const Problem& problem, std::int64_t capacity_bytes) {
  return Encoding(problem, capacity_bytes).make();
}

}  // namespace stint
