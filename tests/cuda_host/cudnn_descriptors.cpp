#include "tests/cuda_host/cudnn_descriptors.hpp"

using namespace cuda_host;

extern "C" {

std::size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (static_cast<int>(status)) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
      return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_STATUS_INTERNAL_ERROR";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return dnn_call("cudnnCreate", [&](HostMachine& machine, auto&) {
    create_object(machine, handle);
    (*handle)->device = current_device();
  });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return dnn_call("cudnnDestroy",
                  [&](HostMachine& machine, auto&) { destroy_object(machine, handle); });
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return dnn_call("cudnnSetStream", [&](HostMachine& machine, auto&) {
    cudnnContext& context = existing(machine, handle);
    expect_valid(machine.stream(stream).device == context.device, "a stream of another device");
    context.stream = stream;
  });
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateTensorDescriptor",
                  [&](HostMachine& machine, auto&) { create_object(machine, descriptor); });
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  return dnn_call("cudnnDestroyTensorDescriptor",
                  [&](HostMachine& machine, auto&) { destroy_object(machine, descriptor); });
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type,
                                           int n, int c, int h, int w, int stride_n, int stride_c,
                                           int stride_h, int stride_w) {
  return dnn_call("cudnnSetTensor4dDescriptorEx", [&](HostMachine& machine, auto&) {
    cudnnTensorStruct& tensor = existing(machine, descriptor);
    expect_valid(n > 0 && c > 0 && h > 0 && w > 0, "sizes are positive");
    expect_valid(stride_n > 0 && stride_c > 0 && stride_h > 0 && stride_w > 0,
                 "strides are positive");
    expect_supported(type == CUDNN_DATA_FLOAT, "only floats are");
    tensor = {true, {n, c, h, w, stride_n, stride_c, stride_h, stride_w}};
  });
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateFilterDescriptor",
                  [&](HostMachine& machine, auto&) { create_object(machine, descriptor); });
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) {
  return dnn_call("cudnnDestroyFilterDescriptor",
                  [&](HostMachine& machine, auto&) { destroy_object(machine, descriptor); });
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return dnn_call("cudnnSetFilter4dDescriptor", [&](HostMachine& machine, auto&) {
    cudnnFilterStruct& filter = existing(machine, descriptor);
    expect_valid(k > 0 && c > 0 && h > 0 && w > 0, "sizes are positive");
    expect_valid(format == CUDNN_TENSOR_NCHW || format == CUDNN_TENSOR_NHWC, "no such format");
    expect_supported(type == CUDNN_DATA_FLOAT, "only floats are");
    filter = {true, {k, c, h, w, format == CUDNN_TENSOR_NHWC}};
  });
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateConvolutionDescriptor",
                  [&](HostMachine& machine, auto&) { create_object(machine, descriptor); });
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor) {
  return dnn_call("cudnnDestroyConvolutionDescriptor",
                  [&](HostMachine& machine, auto&) { destroy_object(machine, descriptor); });
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h,
                                              int pad_w, int stride_h, int stride_w, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  return dnn_call("cudnnSetConvolution2dDescriptor", [&](HostMachine& machine, auto&) {
    cudnnConvolutionStruct& convolution = existing(machine, descriptor);
    expect_valid(pad_h >= 0 && pad_w >= 0, "padding is not negative");
    expect_valid(stride_h > 0 && stride_w > 0 && dilation_h > 0 && dilation_w > 0,
                 "strides and dilations are positive");
    expect_supported(mode == CUDNN_CROSS_CORRELATION && type == CUDNN_DATA_FLOAT,
                     "only cross-correlation of floats is");
    convolution = {true, {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, 1}};
  });
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int groups) {
  return dnn_call("cudnnSetConvolutionGroupCount", [&](HostMachine& machine, auto&) {
    cudnnConvolutionStruct& convolution = existing(machine, descriptor);
    expect_valid(groups > 0, "there is at least one group");
    convolution.shape.groups = groups;
  });
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor,
                                          cudnnMathType_t type) {
  return dnn_call("cudnnSetConvolutionMathType", [&](HostMachine& machine, auto&) {
    existing(machine, descriptor);
    expect_valid(type == CUDNN_DEFAULT_MATH || type == CUDNN_FMA_MATH, "no such type for floats");
  });
}
}
