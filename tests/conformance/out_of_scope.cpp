#include "tests/conformance/out_of_scope.hpp"

#include <algorithm>
#include <vector>

namespace stint {
namespace {

struct Reason {
  const char* why;
  std::vector<std::string> cases;
};

const std::vector<Reason>& reasons() {
  static const std::vector<Reason> all = {
      {"uint8, int8, float16, double, string or no tensor at all",
       {"test_add_uint8",
        "test_sub_uint8",
        "test_mul_uint8",
        "test_div_uint8",
        "test_maxpool_2d_uint8",
        "test_clip_default_int8_inbounds",
        "test_clip_default_int8_max",
        "test_clip_default_int8_min",
        "test_identity_opt",
        "test_identity_sequence",
        "test_cast_BFLOAT16_to_FLOAT",
        "test_cast_DOUBLE_to_FLOAT",
        "test_cast_DOUBLE_to_FLOAT16",
        "test_cast_FLOAT16_to_DOUBLE",
        "test_cast_FLOAT16_to_FLOAT",
        "test_cast_FLOAT_to_BFLOAT16",
        "test_cast_FLOAT_to_DOUBLE",
        "test_cast_FLOAT_to_FLOAT16",
        "test_cast_FLOAT_to_STRING",
        "test_cast_STRING_to_FLOAT",
        "test_castlike_BFLOAT16_to_FLOAT_expanded",
        "test_castlike_DOUBLE_to_FLOAT16_expanded",
        "test_castlike_DOUBLE_to_FLOAT_expanded",
        "test_castlike_FLOAT16_to_DOUBLE_expanded",
        "test_castlike_FLOAT16_to_FLOAT_expanded",
        "test_castlike_FLOAT_to_BFLOAT16_expanded",
        "test_castlike_FLOAT_to_DOUBLE_expanded",
        "test_castlike_FLOAT_to_FLOAT16_expanded",
        "test_castlike_FLOAT_to_STRING_expanded",
        "test_castlike_STRING_to_FLOAT_expanded",
        "test_operator_add_broadcast",
        "test_operator_add_size1_broadcast",
        "test_operator_add_size1_right_broadcast",
        "test_operator_add_size1_singleton_broadcast",
        "test_operator_addconstant",
        "test_operator_non_float_params"}},
      {"an empty tensor",
       {"test_constantofshape_int_shape_zero", "test_reshape_allowzero_reordered",
        "test_split_zero_size_splits"}},
      {"three dimensions of space",
       {"test_averagepool_3d_default", "test_maxpool_3d_default", "test_convtranspose_3d",
        "test_AvgPool3d", "test_AvgPool3d_stride", "test_AvgPool3d_stride1_pad0_gpu_input",
        "test_Conv3d", "test_Conv3d_dilated", "test_Conv3d_dilated_strided", "test_Conv3d_groups",
        "test_Conv3d_no_bias", "test_Conv3d_stride", "test_Conv3d_stride_padding", "test_MaxPool3d",
        "test_MaxPool3d_stride", "test_MaxPool3d_stride_padding"}},
      {"along or over the batch, whose samples a step keeps apart",
       {"test_concat_1d_axis_0",
        "test_concat_1d_axis_negative_1",
        "test_concat_2d_axis_0",
        "test_concat_2d_axis_negative_2",
        "test_concat_3d_axis_0",
        "test_concat_3d_axis_negative_3",
        "test_gemm_all_attributes",

        "test_gemm_transposeA",
        "test_layer_normalization_2d_axis0",
        "test_layer_normalization_2d_axis_negative_2",
        "test_layer_normalization_3d_axis0_epsilon",
        "test_layer_normalization_3d_axis_negative_3_epsilon",
        "test_layer_normalization_4d_axis0",
        "test_layer_normalization_4d_axis_negative_4",
        "test_reduce_mean_default_axes_keepdims_example",
        "test_reduce_mean_default_axes_keepdims_random",
        "test_reduce_sum_default_axes_keepdims_example",
        "test_reduce_sum_default_axes_keepdims_random",
        "test_softmax_axis_0",
        "test_split_equal_parts_1d",
        "test_split_equal_parts_default_axis",
        "test_split_variable_parts_1d",
        "test_split_variable_parts_default_axis",
        "test_operator_chunk",
        "test_operator_params"}},
      {"running statistics, where training uses the batch's",
       {"test_batchnorm_epsilon", "test_batchnorm_example", "test_BatchNorm1d_3d_input_eval",
        "test_BatchNorm2d_eval", "test_BatchNorm2d_momentum_eval", "test_BatchNorm3d_eval",
        "test_BatchNorm3d_momentum_eval"}},
      {"no dropout, as after training",
       {"test_dropout_default", "test_dropout_default_mask", "test_dropout_default_mask_ratio",
        "test_dropout_default_old", "test_dropout_default_ratio", "test_dropout_random_old"}},
      {"another random mask",
       {"test_training_dropout", "test_training_dropout_default",
        "test_training_dropout_default_mask", "test_training_dropout_mask"}},
      {"division by activations or weights", {"test_div", "test_div_bcast", "test_div_example"}},
      {"columns of a table, or rows counted from its end",
       {"test_gather_1", "test_gather_2d_indices", "test_gather_negative_indices"}},
      {"of floats, where sizes are meant",
       {"test_range_float_type_positive_delta", "test_slice", "test_slice_default_axes",
        "test_slice_default_steps", "test_slice_end_out_of_bounds", "test_slice_neg",
        "test_slice_neg_steps", "test_slice_negative_axes", "test_slice_start_out_of_bounds",
        "test_sqrt", "test_sqrt_example", "test_operator_index", "test_operator_sqrt"}},
  };
  return all;
}

}  // namespace

std::optional<std::string> why_out_of_scope(const std::string& name) {
  for (const Reason& reason : reasons()) {
    if (std::find(reason.cases.begin(), reason.cases.end(), name) != reason.cases.end())
      return reason.why;
  }
  return std::nullopt;
}

}  // namespace stint
