#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

// One position of a kernel over an image: `out` on the side where it is put, `in` under its tap.
struct Tap {
  std::int64_t n, out_h, out_w, in_h, in_w, kernel_h, kernel_w;
};

struct Window {
  Pair kernel, stride, dilation{1, 1};
  Padding padding{};
};

// Every tap of every position that lies inside the image `in`.
template <typename Visit>
void visit_taps(const Window& window, const ReferenceTensor& in, const ReferenceTensor& out,
                Visit visit) {
  for (std::int64_t n = 0; n < out.shape[0]; ++n)
    for (std::int64_t oh = 0; oh < out.shape[2]; ++oh)
      for (std::int64_t ow = 0; ow < out.shape[3]; ++ow)
        for (std::int64_t kh = 0; kh < window.kernel[0]; ++kh)
          for (std::int64_t kw = 0; kw < window.kernel[1]; ++kw) {
            const std::int64_t ih =
                oh * window.stride[0] - window.padding[0] + kh * window.dilation[0];
            const std::int64_t iw =
                ow * window.stride[1] - window.padding[1] + kw * window.dilation[1];
            if (ih >= 0 && iw >= 0 && ih < in.shape[2] && iw < in.shape[3])
              visit(Tap{n, oh, ow, ih, iw, kh, kw});
          }
}

// visit(under, put, weight) for every product of a convolution: where the element under the kernel
// is, where the position's is, and which weight joins them. Weights are [put, under / groups, …].
template <typename Visit>
void visit_products(const Window& window, std::int64_t groups, const ReferenceTensor& under,
                    const ReferenceTensor& put, Visit visit) {
  const std::int64_t channels = under.shape[1] / groups, filters = put.shape[1] / groups;
  const std::int64_t taps = window.kernel[0] * window.kernel[1];
  visit_taps(window, under, put, [&](const Tap& tap) {
    for (std::int64_t f = 0; f < put.shape[1]; ++f)
      for (std::int64_t c = 0; c < channels; ++c)
        visit(under.place(tap.n, f / filters * channels + c, tap.in_h, tap.in_w),
              put.place(tap.n, f, tap.out_h, tap.out_w),
              (f * channels + c) * taps + tap.kernel_h * window.kernel[1] + tap.kernel_w);
  });
}

template <typename Convolution>
Window window_of(const Convolution& layer) {
  return {layer.kernel, layer.stride, layer.dilation, layer.padding};
}

void for_channels(const ReferenceTensor& image,
                  const std::function<void(std::int64_t place, std::int64_t channel)>& visit) {
  const std::int64_t pixels = image.shape[2] * image.shape[3];
  for (std::int64_t i = 0; i < image.count(); ++i) visit(i, i / pixels % image.shape[1]);
}

template <typename Convolution>
void run_convolution(std::string_view what, ReferenceTask& t) {
  constexpr bool transposed = std::is_same_v<Convolution, ConvTranspose2d>;
  const auto& layer = t.layer<Convolution>();
  const bool forward = what == "forward", weights = what == "backward_weights";
  // Image x or its gradient, image y or its gradient, weight or its gradient.
  ReferenceTensor& x = forward || weights ? t.reads[0] : t.writes[0];
  ReferenceTensor& y = forward ? t.writes[0] : t.reads[1];
  ReferenceTensor& w = forward ? t.reads[1] : weights ? t.writes[0] : t.reads[0];
  const auto accumulate = [&](std::int64_t i, std::int64_t o, std::int64_t at) {
    if (forward)
      y[o] += x[i] * w[at];
    else if (weights)
      w[at] += x[i] * y[o];
    else
      x[i] += y[o] * w[at];
  };
  if (transposed)
    visit_products(window_of(layer), layer.groups, y, x,
                   [&](auto under, auto put, auto at) { accumulate(put, under, at); });
  else
    visit_products(window_of(layer), layer.groups, x, y, accumulate);
  if (layer.bias && forward)
    for_channels(y, [&](auto i, auto channel) { y[i] += t.reads[2][channel]; });
  if (layer.bias && weights)
    for_channels(y, [&](auto i, auto channel) { t.writes[1][channel] += y[i]; });
}

// Indices are places in the window, row by row; backward reads them as forward wrote them.
void run_max_pool(bool forward, ReferenceTask& t) {
  const auto& layer = t.layer<MaxPool2d>();
  const Window window{layer.kernel, layer.stride, layer.dilation, layer.padding};
  ReferenceTensor& in = forward ? t.reads[0] : t.writes[0];
  ReferenceTensor& out = forward ? t.writes[0] : t.reads[1];
  ReferenceTensor local = out;
  ReferenceTensor& indices = !forward ? t.reads[0] : t.writes.size() > 1 ? t.writes[1] : local;
  if (forward) out.values.assign(out.values.size(), -std::numeric_limits<double>::infinity());
  visit_taps(window, in, out, [&](const Tap& tap) {
    const auto index = static_cast<double>(tap.kernel_h * window.kernel[1] + tap.kernel_w);
    for (std::int64_t c = 0; c < out.shape[1]; ++c) {
      const std::int64_t i = in.place(tap.n, c, tap.in_h, tap.in_w);
      const std::int64_t o = out.place(tap.n, c, tap.out_h, tap.out_w);
      if (forward && in[i] > out[o]) {
        out[o] = in[i];
        indices[o] = index;
      } else if (!forward && indices[o] == index) {
        in[i] += out[o];
      }
    }
  });
}

// With padding counted, a window that ceil lets hang over the padded image loses only that part.
double divisor(const AvgPool2d& layer, const ReferenceTensor& in, std::int64_t oh, std::int64_t ow,
               double inside) {
  if (!layer.count_padding) return inside;
  const auto length = [&](int axis, std::int64_t at) {
    const std::int64_t begin = at * layer.stride[axis] - layer.padding[axis];
    const std::int64_t end = in.shape[2 + axis] + layer.padding[2 + axis];
    return static_cast<double>(std::min(begin + layer.kernel[axis], end) - begin);
  };
  return length(0, oh) * length(1, ow);
}

void run_avg_pool(bool forward, ReferenceTask& t) {
  const auto& layer = t.layer<AvgPool2d>();
  const Window window{layer.kernel, layer.stride, {1, 1}, layer.padding};
  ReferenceTensor& in = forward ? t.reads[0] : t.writes[0];
  ReferenceTensor& out = forward ? t.writes[0] : t.reads[0];
  std::vector<double> inside(out.values.size(), 0);
  const auto place = [&](const Tap& tap) { return out.place(tap.n, 0, tap.out_h, tap.out_w); };
  visit_taps(window, in, out, [&](const Tap& tap) { inside[place(tap)] += 1; });
  visit_taps(window, in, out, [&](const Tap& tap) {
    const double over = divisor(layer, in, tap.out_h, tap.out_w, inside[place(tap)]);
    for (std::int64_t c = 0; c < out.shape[1]; ++c) {
      const std::int64_t i = in.place(tap.n, c, tap.in_h, tap.in_w);
      const std::int64_t o = out.place(tap.n, c, tap.out_h, tap.out_w);
      if (forward)
        out[o] += in[i] / over;
      else
        in[i] += out[o] / over;
    }
  });
}

void run_global_pool(bool forward, ReferenceTask& t) {
  ReferenceTensor& in = forward ? t.reads[0] : t.writes[0];
  ReferenceTensor& out = forward ? t.writes[0] : t.reads[0];
  const std::int64_t pixels = in.shape[2] * in.shape[3];
  for (std::int64_t i = 0; i < in.count(); ++i) {
    if (forward)
      out[i / pixels] += in[i] / static_cast<double>(pixels);
    else
      in[i] = out[i / pixels] / static_cast<double>(pixels);
  }
}

}  // namespace

bool run_reference_images(std::string_view op, ReferenceTask& t) {
  const std::string_view layer = op.substr(0, op.find('.'));
  const std::string_view what = op.substr(op.find('.') + 1);
  if (layer == "conv2d")
    run_convolution<Conv2d>(what, t);
  else if (layer == "conv_transpose2d")
    run_convolution<ConvTranspose2d>(what, t);
  else if (layer == "max_pool2d")
    run_max_pool(what == "forward", t);
  else if (layer == "avg_pool2d")
    run_avg_pool(what == "forward", t);
  else if (layer == "global_avg_pool")
    run_global_pool(what == "forward", t);
  else
    return false;
  return true;
}

}  // namespace stint
