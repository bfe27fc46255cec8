#include "executor/cpu/dnn/dnn_engine.hpp"

#include <fmt/format.h>
#include <omp.h>

namespace stint {
namespace {

std::string_view isa_name() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    default:
      return "default";
  }
}

}  // namespace

void use_one_thread() { omp_set_num_threads(1); }

const dnnl::engine& dnn_engine() {
  static const dnnl::engine engine = [] {
    dnnl::set_primitive_cache_capacity(0);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::primitive_attr dnn_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

std::string dnn_algorithm(std::string_view implementation) {
  const dnnl::version_t& version = *dnnl::version();
  return fmt::format("dnnl {}.{}.{} {} {}", version.major, version.minor, version.patch, isa_name(),
                     implementation);
}

bool is_refused(std::string_view implementation) {
  return implementation.starts_with("ref") || implementation.find("+ref") != implementation.npos ||
         implementation.find("gemm:jit") != implementation.npos;
}

}  // namespace stint
