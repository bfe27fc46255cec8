// The objects of cuDNN: the handle, and descriptors of tensors, filters and convolutions. A pointer
// that no create function gave, or that was destroyed, is refused, as is a descriptor not yet set.
#pragma once

#include <cudnn.h>

#include "tests/cuda_host/calls.hpp"
#include "tests/cuda_host/images.hpp"

struct cudnnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {
  bool is_set = false;
  cuda_host::ImageShape shape;
};

struct cudnnFilterStruct {
  bool is_set = false;
  cuda_host::FilterShape shape;
};

struct cudnnConvolutionStruct {
  bool is_set = false;
  cuda_host::SlideShape shape;
};

namespace cuda_host {

inline const char* kind_of(const cudnnContext*) { return "cuDNN handle"; }
inline const char* kind_of(const cudnnTensorStruct*) { return "cuDNN tensor descriptor"; }
inline const char* kind_of(const cudnnFilterStruct*) { return "cuDNN filter descriptor"; }
inline const char* kind_of(const cudnnConvolutionStruct*) { return "cuDNN convolution descriptor"; }

inline void expect_valid(bool holds, const char* what) {
  if (!holds) throw StatusFault(CUDNN_STATUS_BAD_PARAM, what);
}

inline void expect_supported(bool holds, const char* what) {
  if (!holds) throw StatusFault(CUDNN_STATUS_NOT_SUPPORTED, what);
}

template <typename Object>
void create_object(HostMachine& machine, Object** to) {
  expect_valid(to != nullptr, "a pointer is null");
  *to = new Object{};
  machine.add_object(*to, kind_of(*to));
}

template <typename Object>
Object& existing(HostMachine& machine, Object* object) {
  expect_valid(machine.has_object(object, kind_of(object)), "there is no such object");
  return *object;
}

template <typename Object>
void destroy_object(HostMachine& machine, Object* object) {
  existing(machine, object);
  machine.remove_object(object);
  delete object;
}

template <typename Object>
const auto& set_shape(HostMachine& machine, Object* object) {
  const Object& descriptor = existing(machine, object);
  expect_valid(descriptor.is_set, "a descriptor is not set");
  return descriptor.shape;
}

}  // namespace cuda_host
