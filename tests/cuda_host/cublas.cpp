// cuBLAS: single-precision products, one or a batch at equal strides. Columns lie one behind the
// other; scalars are on the host.
#include <cublas_v2.h>

#include <string>

#include "tests/cuda_host/calls.hpp"
#include "tests/cuda_host/product.hpp"
#include "tests/cuda_host/ranges.hpp"

using namespace cuda_host;

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  char* workspace = nullptr;  // null: the library's own, which it allocated when it was created
  std::size_t workspace_bytes = 0;
};

namespace {

constexpr char kind[] = "cuBLAS handle";

cublasContext& context(HostMachine& machine, cublasHandle_t handle) {
  if (!machine.has_object(handle, kind))
    throw StatusFault(CUBLAS_STATUS_NOT_INITIALIZED, "there is no such handle");
  return *handle;
}

void expect_valid(bool holds) {
  if (!holds) throw StatusFault(CUBLAS_STATUS_INVALID_VALUE, "a value is out of range");
}

// One operand, as given: `rows` by `columns` in memory, before it is transposed.
struct Operand {
  const float* at = nullptr;
  cublasOperation_t operation = CUBLAS_OP_N;
  std::int64_t rows = 0, columns = 0;
  std::int64_t column_stride = 0, matrix_stride = 0;
};

Operand factor(const float* at, cublasOperation_t operation, std::int64_t rows,
               std::int64_t columns, std::int64_t column_stride, std::int64_t matrix_stride) {
  expect_valid(operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C);
  if (operation != CUBLAS_OP_N) std::swap(rows, columns);
  expect_valid(rows >= 0 && columns >= 0);
  expect_valid(column_stride >= std::max<std::int64_t>(1, rows));
  return {at, operation, rows, columns, column_stride, matrix_stride};
}

// Exact: gaps between columns belong to others.
std::vector<MemoryAccess> accesses_of(const Operand& operand, std::int64_t matrices, bool writes) {
  std::vector<MemoryAccess> columns;
  if (operand.rows == 0) return columns;
  for (std::int64_t m = 0; m < matrices; ++m)
    for (std::int64_t c = 0; c < operand.columns; ++c)
      columns.push_back(
          access_to(operand.at + m * operand.matrix_stride + c * operand.column_stride,
                    operand.rows, writes));
  return joined(std::move(columns));
}

std::size_t bytes_of(const std::vector<MemoryAccess>& accesses) {
  std::size_t bytes = 0;
  for (const MemoryAccess& access : accesses) bytes += access.bytes;
  return bytes;
}

HostFactor matrix(const Operand& operand, const float* alias) {
  return operand.operation == CUBLAS_OP_N ? HostFactor{alias, 1, operand.column_stride}
                                          : HostFactor{alias, operand.column_stride, 1};
}

struct Product {
  HostProduct sizes;
  Operand a, b, c;
  std::int64_t matrices = 1;
};

void run(const Product& product, const float* a, const float* b, float* c) {
  for (std::int64_t m = 0; m < product.matrices; ++m)
    multiply(product.sizes, matrix(product.a, a + m * product.a.matrix_stride),
             matrix(product.b, b + m * product.b.matrix_stride),
             {c + m * product.c.matrix_stride, 1, product.c.column_stride});
}

void append(std::vector<MemoryAccess>& all, const std::vector<MemoryAccess>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<MemoryAccess> checked_accesses(const cublasContext& blas, const Product& product) {
  std::vector<MemoryAccess> all = accesses_of(product.a, product.matrices, false);
  append(all, accesses_of(product.b, product.matrices, false));
  const auto c = accesses_of(product.c, product.matrices, true);
  if (overlap(all, c)) throw CallMisuse(cudaErrorInvalidValue, "the result overlaps a factor");
  if (bytes_of(c) != product.matrices * product.c.rows * product.c.columns * sizeof(float))
    throw CallMisuse(cudaErrorInvalidValue, "matrices of the result overlap");
  append(all, c);
  if (blas.workspace == nullptr) return all;
  const std::vector<MemoryAccess> workspace{
      access_to(blas.workspace, static_cast<std::int64_t>(blas.workspace_bytes), true)};
  if (overlap(all, workspace))
    throw CallMisuse(cudaErrorInvalidValue, "the workspace overlaps a matrix");
  append(all, workspace);
  return all;
}

void submit(HostMachine& machine, const cublasContext& blas, const char* name,
            const Product& product) {
  const HostProduct& sizes = product.sizes;
  if (sizes.rows == 0 || sizes.columns == 0 || product.matrices == 0) return;
  expect_valid(product.c.at != nullptr && (sizes.depth == 0 || product.a.at != nullptr) &&
               (sizes.depth == 0 || product.b.at != nullptr));
  if (blas.device != current_device())
    throw CallMisuse(cudaErrorInvalidResourceHandle, "uses a handle of another device");
  const float* const a = machine.memory.alias(product.a.at);
  const float* const b = machine.memory.alias(product.b.at);
  float* const c = machine.memory.alias(const_cast<float*>(product.c.at));
  char* const workspace = machine.memory.alias(blas.workspace);
  const std::size_t workspace_bytes = blas.workspace_bytes;
  machine.submit(
      blas.stream,
      {.name = std::string(name) + " " + std::to_string(sizes.rows) + "x" +
               std::to_string(sizes.columns) + "x" + std::to_string(sizes.depth),
       .accesses = checked_accesses(blas, product),
       .work =
           [=] {
             run(product, a, b, c);
             if (workspace != nullptr) spoil(workspace, workspace_bytes);
           },
       .bytes = 4.0 * static_cast<double>(product.matrices) *
                static_cast<double>(sizes.rows * sizes.depth + sizes.depth * sizes.columns +
                                    sizes.rows * sizes.columns),
       .flops = 2.0 * static_cast<double>(product.matrices * sizes.rows) *
                static_cast<double>(sizes.columns * sizes.depth)});
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return blas_call("cublasCreate_v2", [&](HostMachine& machine, auto&) {
    expect_valid(handle != nullptr);
    *handle = new cublasContext{.device = current_device()};
    machine.add_object(*handle, kind);
  });
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return blas_call("cublasDestroy_v2", [&](HostMachine& machine, auto&) {
    context(machine, handle);
    machine.remove_object(handle);
    delete handle;
  });
}

// Gives the workspace back to the library, as the manual says.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return blas_call("cublasSetStream_v2", [&](HostMachine& machine, auto&) {
    cublasContext& blas = context(machine, handle);
    if (machine.stream(stream).device != blas.device)
      throw CallMisuse(cudaErrorInvalidResourceHandle, "is given a stream of another device");
    blas.stream = stream;
    blas.workspace = nullptr;
    blas.workspace_bytes = 0;
  });
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  return blas_call("cublasSetWorkspace_v2", [&](HostMachine& machine, auto&) {
    cublasContext& blas = context(machine, handle);
    const auto address = reinterpret_cast<Address>(workspace);
    expect_valid(address % 256 == 0);
    if (bytes > 0 && !machine.memory.on_device(workspace))
      throw CallMisuse(cudaErrorInvalidValue, "is given a workspace that is not on a device");
    machine.memory.block({address, bytes, true}, "cublasSetWorkspace");
    blas.workspace = bytes == 0 ? nullptr : static_cast<char*>(workspace);
    blas.workspace_bytes = bytes;
  });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return blas_call("cublasSetMathMode", [&](HostMachine& machine, auto&) {
    context(machine, handle);
    expect_valid(mode == CUBLAS_DEFAULT_MATH || mode == CUBLAS_PEDANTIC_MATH ||
                 mode == CUBLAS_TF32_TENSOR_OP_MATH);
  });
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb,
                                         long long stride_b, const float* beta, float* c, int ldc,
                                         long long stride_c, int matrices) {
  return blas_call("cublasSgemmStridedBatched", [&](HostMachine& machine, auto&) {
    const cublasContext& blas = context(machine, handle);
    expect_valid(matrices >= 0);
    submit(machine, blas, "product",
           {.sizes = {m, n, k, host_scalar(machine, alpha), host_scalar(machine, beta)},
            .a = factor(a, transa, m, k, lda, stride_a),
            .b = factor(b, transb, k, n, ldb, stride_b),
            .c = factor(c, CUBLAS_OP_N, m, n, ldc, stride_c),
            .matrices = matrices});
  });
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k, const float* alpha,
                              const float* a, int lda, const float* b, int ldb, const float* beta,
                              float* c, int ldc) {
  return blas_call("cublasSgemm_v2", [&](HostMachine& machine, auto&) {
    submit(machine, context(machine, handle), "product",
           {.sizes = {m, n, k, host_scalar(machine, alpha), host_scalar(machine, beta)},
            .a = factor(a, transa, m, k, lda, 0),
            .b = factor(b, transb, k, n, ldb, 0),
            .c = factor(c, CUBLAS_OP_N, m, n, ldc, 0)});
  });
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "the operation completed successfully";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    default:
      return "an internal operation failed";
  }
}
}
