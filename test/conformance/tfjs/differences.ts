/**
 * @file Where the library gives another answer than TF.js's tests ask for, by decision: each spec by its name, with
 * the reason. Everything else that differs is a failure.
 */

interface Difference {
  file: string;
  specs: RegExp;
  reason: string;
}

const differences: readonly Difference[] = [
  {
    file: 'ops/arg_max_test.js',
    specs: /ignores NaNs$/,
    reason: 'NaN counts as the largest, as in NumPy; TF.js passes over it',
  },
  {
    file: 'ops/arg_min_test.js',
    specs: /ignores NaNs$/,
    reason: 'NaN counts as the smallest, as in NumPy; TF.js passes over it',
  },
  {
    file: 'ops/max_test.js',
    specs: /gradient: .*ties/,
    reason: 'tied extrema share the gradient, as in TensorFlow; TF.js gives each of them the whole',
  },
  {
    file: 'ops/min_test.js',
    specs: /gradient: .*ties/,
    reason: 'tied extrema share the gradient, as in TensorFlow; TF.js gives each of them the whole',
  },
  {
    file: 'ops/avg_pool_test.js',
    specs: /^gradient x=\[3,3,1\] f=\[3,3\] s=1 p=explicit$/,
    reason: "TF.js's gradient divides by the whole window, where its average leaves padding out",
  },
  {
    file: 'ops/ensure_shape_test.js',
    specs: /^null shape$/,
    reason: 'null among the values of a tensor: refused',
  },
  {
    file: 'ops/max_pool_test.js',
    specs: /ignores NaNs$/,
    reason: 'NaN wins a window, so that it is never swallowed; TF.js passes over it',
  },
  {
    file: 'ops/mirror_pad_test.js',
    specs: /^grad$|^gradient with clones$/,
    reason: "TF.js's gradient leaves out what the mirrored elements add",
  },
  {
    file: 'ops/sign_test.js',
    specs: /^basic$|NaNs$|^accepts a tensor-like object$/,
    reason: 'the sign of NaN is NaN, as in TensorFlow; TF.js gives 0',
  },
  {
    file: 'ops/tan_test.js',
    specs: /^numbers exceed float32 precision$/,
    reason: 'asks for 0.001 of 30144, less than its last place in float32',
  },
  {
    file: 'ops/depthwise_conv2d_test.js',
    specs: /^throws error on dilations > 1$/,
    reason: 'the gradient of a dilated depthwise convolution, which TF.js lacks, is offered',
  },
  {
    file: 'tensor_test.js',
    specs: /^(float32|int32|bool) tensor$/,
    reason: "a tensor's `bytes` is its size here",
  },
];

/** Why `spec` of `file` is left out; null where it runs. */
export function differenceOf(file: string, spec: string): string | null {
  return differences.find((known) => known.file === file && known.specs.test(spec))?.reason ?? null;
}
