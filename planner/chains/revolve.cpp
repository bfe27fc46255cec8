#include "planner/chains/revolve.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace stint {

namespace {

constexpr std::int64_t too_many = std::numeric_limits<std::int64_t>::max();

// C(a, b), or too_many.
std::int64_t binomial(std::int64_t a, std::int64_t b) {
  b = std::min(b, a - b);
  std::int64_t result = 1;
  for (std::int64_t i = 1; i <= b; ++i) {
    const std::int64_t common = std::gcd(result, i);
    const std::int64_t factor = (a - b + i) / (i / common);
    if (__builtin_mul_overflow(result / common, factor, &result)) return too_many;
  }
  return result;
}

// The least t with beta(s, t) >= n, for n >= 2 and 1 <= s < n; it is below n.
std::int64_t least_repetitions(std::int64_t n, std::int64_t s) {
  std::int64_t low = 0;
  std::int64_t high = n - 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const bool enough = middle > too_many - s || binomial(s + middle, s) >= n;
    (enough ? high : low) = middle;
  }
  return high;
}

// n backwards from x_first on, with s slots, and beta = beta(s, t) >= n.
struct RevolvePart {
  std::int64_t first = 0;
  std::int64_t n = 0;
  std::int64_t s = 0;
  std::int64_t t = 0;
  std::int64_t beta = 0;
  bool stored = false;  // x_first is in a slot and has to be read
};

// beta * factor / (s+t), which is whole, without a large product.
std::int64_t scaled(const RevolvePart& part, std::int64_t factor) {
  const std::int64_t sum = part.s + part.t;
  return part.beta / sum * factor + part.beta % sum * factor / sum;
}
std::int64_t with_fewer_repetitions(const RevolvePart& part) { return scaled(part, part.t); }
std::int64_t with_fewer_slots(const RevolvePart& part) { return scaled(part, part.s); }

// Makes t the least that is enough; O(1) in all, because the parts of a part need t or t - 1.
void tighten(RevolvePart& part) {
  while (part.t > 0) {
    const std::int64_t fewer = with_fewer_repetitions(part);
    if (fewer < part.n) return;
    part.beta = fewer;
    --part.t;
  }
}

// Any i with beta(s, t-2) <= i <= beta(s, t-1) and beta(s-1, t-1) <= n-i <= beta(s-1, t) is
// optimal.
std::pair<RevolvePart, RevolvePart> split(RevolvePart part) {
  tighten(part);
  RevolvePart left{part.first, 0, part.s, part.t - 1, with_fewer_repetitions(part), true};
  left.n = std::min(left.beta, part.n - with_fewer_slots(left));
  const RevolvePart right{
      part.first + left.n, part.n - left.n, part.s - 1, part.t, with_fewer_slots(part), false};
  return {left, right};
}

RevolvePart whole(const RevolveProblem& problem, std::int64_t first) {
  const std::int64_t n = problem.length + 1;
  const std::int64_t s = std::min(problem.slots, problem.length);
  const std::int64_t t = n == 1 ? 0 : least_repetitions(n, s);
  return {first, n, s, t, binomial(s + t, s), false};
}

}  // namespace

std::optional<std::int64_t> count_revolve_forwards(std::int64_t length, std::int64_t slots) {
  if (length == 0) return 0;
  if (slots < 1 || length == too_many) return std::nullopt;
  const std::int64_t n = length + 1;
  const std::int64_t s = std::min(slots, length);
  const std::int64_t t = least_repetitions(n, s);
  const std::int64_t unused = t > too_many - s ? too_many : binomial(s + t, s + 1);
  // t n is less than twice the count: if that fits into 63 bits, this fits into 64.
  std::uint64_t most = 0;
  if (unused == too_many || __builtin_mul_overflow(t, n, &most)) return std::nullopt;
  const std::uint64_t count = most - static_cast<std::uint64_t>(unused);
  if (count > static_cast<std::uint64_t>(too_many)) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

std::vector<double> revolve_costs(const RevolveProblem& problem) {
  std::vector<double> costs = {problem.backward_cost};
  costs.reserve(problem.length + 1);
  const std::int64_t s = std::min(problem.slots, problem.length);
  // E(n+1, s) - E(n, s) is the least t with beta(s, t) > n.
  std::int64_t t = 0;
  std::int64_t beta = 1;
  std::int64_t forwards = 0;
  for (std::int64_t n = 1; n <= problem.length; ++n) {
    if (s < 1) {
      costs.push_back(no_cost);
      continue;
    }
    if (beta <= n) {
      ++t;
      beta = binomial(s + t, s);
    }
    forwards += t;
    costs.push_back(static_cast<double>(n + 1) * problem.backward_cost +
                    static_cast<double>(forwards) * problem.forward_cost);
  }
  return costs;
}

void append_revolve(const RevolveProblem& problem, std::int64_t first, int level,
                    std::vector<SyncStep>& steps) {
  std::vector<RevolvePart> parts = {whole(problem, first)};
  while (!parts.empty()) {
    RevolvePart part = parts.back();
    parts.pop_back();
    if (part.stored) steps.push_back(read_step(level, part.first));
    if (part.n == 1) {
      if (part.stored) steps.push_back(discard_step(level, part.first));
      steps.push_back(backward_step(part.first));
      continue;
    }
    if (!part.stored) steps.push_back(write_step(level, part.first));
    const auto [left, right] = split(part);
    steps.push_back(forward_step(left.first, right.first));
    parts.push_back(left);
    parts.push_back(right);
  }
}

std::optional<SyncPlan> solve_revolve(const RevolveProblem& problem) {
  const auto forwards = count_revolve_forwards(problem.length, problem.slots);
  if (!forwards) return std::nullopt;
  SyncPlan plan;
  plan.cost = static_cast<double>(problem.length + 1) * problem.backward_cost +
              static_cast<double>(*forwards) * problem.forward_cost;
  plan.lower_bound = plan.cost;
  append_revolve(problem, 0, 0, plan.steps);
  return plan;
}

}  // namespace stint
