// The same work for every index, on several threads. Results must go to places of their own, so
// that they do not depend on how many threads there are.
#pragma once

#include <functional>

namespace stint {

// Calls work(index, thread) for each index below `count` once; a thread, from 0, does one thing at
// a time. Rethrows the exception of the smallest index.
void for_each_index(int count, int threads, const std::function<void(int index, int thread)>& work);

}  // namespace stint
