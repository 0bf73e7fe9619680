// @ts-check
/**
 * @file Which of TF.js's test files `npm test` runs, and which say nothing about Retrograd.
 */

/** The tested files of ops, under `@tensorflow/tfjs-core/dist/ops`, without `_test.js`. */
const OPS = `
  abs acos acosh add_n add all any arg_max arg_min arithmetic asin asinh atan atanh avg_pool
  batchnorm binary_ops broadcast_to ceil clip_by_value clone concat conv1d conv2d_separable conv2d
  conv2d_transpose cos cosh cumsum depthwise_conv2d dropout elu equal erf exp expand_dims expm1 eye
  fill floor floordiv gather_nd gather greater_equal greater is_finite is_inf is_nan leaky_relu
  less_equal less linspace log1p log_sigmoid log_softmax log_sum_exp log logical_and logical_not
  logical_or logical_xor mat_mul max_pool max mean min mirror_pad moments neg not_equal one_hot
  ones_like ones pad pool prod random_normal random_standard_normal random_uniform_int
  random_uniform range reciprocal relu6 relu reverse_1d reverse_2d reverse_3d reverse_4d reverse
  round rsqrt scatter_nd selu sigmoid sign sin sinh slice1d slice2d slice3d slice4d slice softmax
  softplus split sqrt square stack step strided_slice sub sum tan tanh tile topk transpose
  truncated_normal unsorted_segment_sum unstack where zeros_like zeros fused/fused_conv2d
  fused/fused_depthwise_conv2d fused/fused_mat_mul image/flip_left_right image/resize_bilinear
  image/resize_nearest_neighbor
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
 * Files that test TF.js's own machinery: what they exercise is TF.js itself, so that neither a pass nor a failure
 * would say anything about Retrograd.
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
  [/^optimizers\//, "TF.js's optimizer classes; Keras's come with retrograd/keras"],
  [/^ops\/identity_pool_test/, 'helpers of other tests, without specs'],
  [/^io\//, "TF.js's model storage"],
  [/_util_test\.js$|^ops\/(operation|rand)_test/, "TF.js's own helpers"],
];

/** @param {string} file @returns {string | null} */
export function internalReason(file) {
  return INTERNAL_FILES.find(([pattern]) => pattern.test(file))?.[1] ?? null;
}
