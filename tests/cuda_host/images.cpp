#include "tests/cuda_host/images.hpp"

#include <vector>

#include "tests/cuda_host/product.hpp"

namespace cuda_host {
namespace {

using Floats = std::vector<float>;

struct PatchSizes {
  std::int64_t places = 0;    // of the filter on an image
  std::int64_t elements = 0;  // of a patch
  std::int64_t outputs = 0;   // filters of a group
};

PatchSizes patch_sizes(const ConvolutionShape& shape) {
  return {shape.y.h * shape.y.w, shape.filter.c * shape.filter.h * shape.filter.w,
          shape.filter.k / shape.slide.groups};
}

// Calls visit(place, element, offset in x) for every element of every patch of one image and group
// that lies within the image, patch after patch, elements in the order of the filter's memory.
template <typename Visit>
void for_each_in_patches(const ConvolutionShape& shape, std::int64_t n, std::int64_t group,
                         const Visit& visit) {
  const auto& [x, y, filter, slide] = shape;
  const std::int64_t elements = patch_sizes(shape).elements;
  for (std::int64_t place = 0; place < y.h * y.w; ++place) {
    for (std::int64_t r = 0; r < filter.h; ++r) {
      const std::int64_t h = place / y.w * slide.stride_h + r * slide.dilation_h - slide.pad_h;
      if (h < 0 || h >= x.h) continue;
      for (std::int64_t s = 0; s < filter.w; ++s) {
        const std::int64_t w = place % y.w * slide.stride_w + s * slide.dilation_w - slide.pad_w;
        if (w < 0 || w >= x.w) continue;
        const std::int64_t at = n * x.stride_n + h * x.stride_h + w * x.stride_w;
        for (std::int64_t c = 0; c < filter.c; ++c) {
          const std::int64_t element = filter.channels_last ? (r * filter.w + s) * filter.c + c
                                                            : (c * filter.h + r) * filter.w + s;
          visit(place * elements + element, at + (group * filter.c + c) * x.stride_c);
        }
      }
    }
  }
}

void gather(const ConvolutionShape& shape, std::int64_t n, std::int64_t group, const float* x,
            Floats& patches) {
  patches.assign(patches.size(), 0.0f);
  for_each_in_patches(shape, n, group,
                      [&](std::int64_t to, std::int64_t from) { patches[to] = x[from]; });
}

// Calls visit(index in a matrix of places by outputs, offset in y).
template <typename Visit>
void for_each_output(const ConvolutionShape& shape, std::int64_t n, std::int64_t group,
                     const Visit& visit) {
  const ImageShape& y = shape.y;
  const auto [places, elements, outputs] = patch_sizes(shape);
  for (std::int64_t place = 0; place < places; ++place)
    for (std::int64_t k = 0; k < outputs; ++k)
      visit(place * outputs + k, n * y.stride_n + (group * outputs + k) * y.stride_c +
                                     place / y.w * y.stride_h + place % y.w * y.stride_w);
}

void store(float value, const ConvolutionScale& scale, float& to) {
  store_scaled(value, scale.factor, scale.kept, to);
}

HostFactor by_rows(const float* at, std::int64_t columns) { return {at, columns, 1}; }
HostFactor transposed(const float* at, std::int64_t columns) { return {at, 1, columns}; }

}  // namespace

void convolve_forward(const ConvolutionShape& shape, const ConvolutionScale& scale, const float* x,
                      const float* filter, float* y) {
  const auto [places, elements, outputs] = patch_sizes(shape);
  Floats patches(places * elements), results(places * outputs);
  for (std::int64_t n = 0; n < shape.x.n; ++n) {
    for (std::int64_t group = 0; group < shape.slide.groups; ++group) {
      gather(shape, n, group, x, patches);
      multiply({places, outputs, elements}, by_rows(patches.data(), elements),
               transposed(filter + group * outputs * elements, elements),
               {results.data(), outputs, 1});
      for_each_output(shape, n, group, [&](std::int64_t from, std::int64_t to) {
        store(results[from], scale, y[to]);
      });
    }
  }
}

void convolve_backward_data(const ConvolutionShape& shape, const ConvolutionScale& scale,
                            const float* filter, const float* dy, float* dx) {
  const auto [places, elements, outputs] = patch_sizes(shape);
  const ImageShape& x = shape.x;
  Floats patches(places * elements), gradients(places * outputs), sums;
  for (std::int64_t n = 0; n < x.n; ++n) {
    // Sums first, so that the result is scaled once. Offsets within one image may be far apart.
    sums.assign((x.c - 1) * x.stride_c + (x.h - 1) * x.stride_h + (x.w - 1) * x.stride_w + 1, 0.0f);
    for (std::int64_t group = 0; group < shape.slide.groups; ++group) {
      for_each_output(shape, n, group,
                      [&](std::int64_t to, std::int64_t from) { gradients[to] = dy[from]; });
      multiply({places, elements, outputs}, by_rows(gradients.data(), outputs),
               by_rows(filter + group * outputs * elements, elements),
               {patches.data(), elements, 1});
      for_each_in_patches(shape, n, group, [&](std::int64_t from, std::int64_t to) {
        sums[to - n * x.stride_n] += patches[from];
      });
    }
    for (std::int64_t c = 0; c < x.c; ++c)
      for (std::int64_t h = 0; h < x.h; ++h)
        for (std::int64_t w = 0; w < x.w; ++w) {
          const std::int64_t at = c * x.stride_c + h * x.stride_h + w * x.stride_w;
          store(sums[at], scale, dx[n * x.stride_n + at]);
        }
  }
}

void convolve_backward_filter(const ConvolutionShape& shape, const ConvolutionScale& scale,
                              const float* x, const float* dy, float* dfilter) {
  const auto [places, elements, outputs] = patch_sizes(shape);
  Floats patches(places * elements), gradients(places * outputs);
  Floats sums(shape.filter.k * elements, 0.0f);
  for (std::int64_t n = 0; n < shape.x.n; ++n) {
    for (std::int64_t group = 0; group < shape.slide.groups; ++group) {
      gather(shape, n, group, x, patches);
      for_each_output(shape, n, group,
                      [&](std::int64_t to, std::int64_t from) { gradients[to] = dy[from]; });
      multiply({.rows = outputs, .columns = elements, .depth = places, .kept = 1},
               transposed(gradients.data(), outputs), by_rows(patches.data(), elements),
               {sums.data() + group * outputs * elements, elements, 1});
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) store(sums[i], scale, dfilter[i]);
}

}  // namespace cuda_host
