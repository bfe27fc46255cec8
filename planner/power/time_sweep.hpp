// The curve of energy against time, for `plan --frontier time`: from the fastest plan to the most
// frugal one, a plan for every deadline in between.
//
// Every deadline is planned for with its share of the request's limit; besides, the plans found for
// all others take part with the best power states that their orders have for it, so that few orders
// give the whole curve. A plan for a sooner deadline is one for a later as well: energy falls or
// stays as the deadline grows. What is proved for a deadline holds for all sooner ones.
#pragma once

#include "planner/problem.hpp"
#include "planner/strategy.hpp"
#include "schedules/frontier.hpp"

namespace stint {

// Up to the deadline of the request, if it has one. Empty if there is no plan. Throws InputError if
// the deadline is what is billed: then there is no curve to speak of.
Frontier time_sweep(const Problem& problem, const SearchOptions& options);

}  // namespace stint
