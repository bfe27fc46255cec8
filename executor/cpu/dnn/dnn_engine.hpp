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

// The first implementation that is not avoided; if all are, the first that is not refused; the
// first of all if every one is. A description that has passed an implementation by does not go back
// to it.
template <typename Make, typename Avoid>
auto chosen_implementation(const Make& make, const Avoid& avoid) {
  auto candidate = make();
  do {
    const std::string_view name = candidate.impl_info_str();
    if (!is_refused(name) && !avoid(name)) return candidate;
  } while (candidate.next_impl());
  candidate = make();
  while (is_refused(candidate.impl_info_str())) {
    if (!candidate.next_impl()) return make();
  }
  return candidate;
}

template <typename Make>
auto chosen_implementation(const Make& make) {
  return chosen_implementation(make, is_refused);
}

}  // namespace stint
