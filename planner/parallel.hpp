// The same work for every index, on several threads. Results must go to places of their own, so
// that they do not depend on how many threads there are.
#pragma once

#include <functional>

namespace stint {

// Calls work(0) … work(count − 1), each once; rethrows the exception of the smallest index.
void for_each_index(int count, int threads, const std::function<void(int index)>& work);

}  // namespace stint
