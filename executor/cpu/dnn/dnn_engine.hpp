// The one engine of oneDNN, and what keeps its bits the same: primitives for one thread, made anew
// each time. A primitive out of the library's cache may have been made for more threads, and then
// sums in another order.
#pragma once

#include <dnnl.hpp>
#include <string>
#include <string_view>

namespace stint {

// Whatever creates or executes primitives holds the calling thread to one thread first.
void use_one_thread();

const dnnl::engine& dnn_engine();

// Scratchpads come from us.
dnnl::primitive_attr dnn_attributes();

// "dnnl 3.2.0 avx512_core NAME": bits follow from the version, the instruction set and the
// implementation.
std::string dnn_algorithm(std::string_view implementation);

// Reference loops are slow beyond use, and those that call gemm allocate while they run.
bool is_refused(std::string_view implementation);

// The first implementation that is not refused; the first of all if every one is.
template <typename Make>
auto chosen_implementation(const Make& make) {
  auto candidate = make();
  do {
    if (!is_refused(candidate.impl_info_str())) return candidate;
  } while (candidate.next_impl());
  return make();
}

}  // namespace stint
