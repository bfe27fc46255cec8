#include "executor/cpu/dnn/dnn_forms.hpp"

namespace stint {
namespace {

using Tag = dnnl::memory::format_tag;

dnnl::memory::desc form(const KernelOperand& operand, Tag tag) {
  return {operand.shape, dnnl::memory::data_type::f32, tag};
}

// Of one channel, or of one pixel, both orders are the same bytes.
bool has_one_order(const KernelOperand& image) {
  return image.shape[1] == 1 || (image.shape[2] == 1 && image.shape[3] == 1);
}

}  // namespace

dnnl::memory::desc image_form(const KernelOperand& image) {
  return form(image, image.channels_last || has_one_order(image) ? Tag::nhwc : Tag::nchw);
}

dnnl::memory::desc channels_last_form(const KernelOperand& image) { return form(image, Tag::nhwc); }

dnnl::memory::desc vector_form(const KernelOperand& vector) { return form(vector, Tag::x); }

}  // namespace stint
