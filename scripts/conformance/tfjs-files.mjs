// @ts-check
/**
 * @file The TF.js test files that `npm test` runs, and those that don't test Retrograd.
 */

/** The tested files of ops, under `@tensorflow/tfjs-core/dist/ops`, without `_test.js`. */
const OPS = `
  abs acos acosh add add_n all any arg_max arg_min arithmetic asin asinh atan atanh avg_pool
  avg_pool_3d basic_lstm_cell batch_to_space_nd batchnorm binary_ops bincount bitwise_and boolean_mask
  broadcast_args broadcast_to ceil clip_by_value clone concat confusion_matrix conv1d conv2d
  conv2d_separable conv2d_transpose conv3d conv3d_transpose cos cosh cumprod cumsum dense_bincount depth_to_space
  depthwise_conv2d diag dilation2d dropout einsum elu ensure_shape equal erf euclidean_norm exp
  expand_dims expm1 eye fill floor floordiv gather gather_nd greater greater_equal in_top_k
  is_finite is_inf is_nan leaky_relu less less_equal linspace local_response_normalization log log1p
  log_sigmoid log_softmax log_sum_exp logical_and logical_not logical_or logical_xor lower_bound
  mat_mul max max_pool max_pool_3d max_pool_with_argmax mean meshgrid min mirror_pad moments
  moving_average multi_rnn_cell multinomial neg norm not_equal one_hot ones ones_like pad pool prod
  random_gamma random_normal random_standard_normal random_uniform random_uniform_int range
  reciprocal relu relu6 reverse reverse_1d reverse_2d reverse_3d reverse_4d round rsqrt scatter_nd
  search_sorted selu setdiff1d_async sigmoid sign sin sinh slice slice1d slice2d slice3d slice4d
  softmax softplus space_to_batch_nd sparse_to_dense split sqrt square stack step strided_slice sub
  sum tan tanh tensor_scatter_update tile to_pixels topk transpose truncated_normal
  unsorted_segment_sum unstack upper_bound where where_async zeros zeros_like fused/fused_conv2d
  fused/fused_depthwise_conv2d fused/fused_mat_mul image/crop_and_resize image/flip_left_right
  image/grayscale_to_rgb image/non_max_suppression_async image/resize_bilinear
  image/resize_nearest_neighbor image/rgb_to_grayscale image/threshold image/transform
  linalg/band_part losses/absolute_difference losses/compute_weighted_loss losses/cosine_distance
  losses/hinge_loss losses/huber_loss losses/log_loss losses/mean_squared_error
  losses/sigmoid_cross_entropy losses/softmax_cross_entropy signal/frame signal/hamming_window
  signal/hann_window
`;

/** The other tested files: gradients, tensors, variables, scopes. */
const OTHERS = `
  buffer globals gradients public/chained_ops/register_all_chained_ops tensor variable
`;

/** Run by `npm test`: every file of what the library offers, relative to `@tensorflow/tfjs-core/dist`. */
export const TESTED_FILES = [
  ...namesIn(OTHERS).map((name) => `${name}_test.js`),
  ...namesIn(OPS).map((name) => `ops/${name}_test.js`),
];

/** @param {string} text */
function namesIn(text) {
  return text.split(/\s+/).filter(Boolean);
}

/**
 * Files that test TF.js's internals, so that their results say nothing about Retrograd.
 *
 * @type {[RegExp, string][]}
 */
export const INTERNAL_FILES = [
  [
    /^(engine|environment|flags|kernel_registry|profiler|debug_mode|tape)_test/,
    "TF.js's engine and registries",
  ],
  [
    /^(jasmine_util|test_util|serialization|version|types|util|tensor_util|hash_util)_test/,
    "TF.js's own helpers",
  ],
  [/^(browser_util|device_util)_test|^platforms\//, "TF.js's platforms"],
  [/^backends\//, "TF.js's back ends"],
  [/^ops\/identity_pool_test/, 'helpers of other tests, without specs'],
  [/^io\//, "TF.js's model storage"],
  [/_util_test\.js$|^ops\/(operation|rand)_test/, "TF.js's own helpers"],
];

/** @param {string} file @returns {string | null} */
export function internalReason(file) {
  return INTERNAL_FILES.find(([pattern]) => pattern.test(file))?.[1] ?? null;
}
