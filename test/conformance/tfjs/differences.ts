/**
 * @file Intended differences from TF.js's tests: each spec by its name, with
 * the reason. Everything else that differs is a failure.
 */

interface Difference {
  file: string;
  specs: RegExp;
  reason: string;
}

const differences: readonly Difference[] = [
  {
    file: 'optimizers/adadelta_optimizer_test.js',
    specs: /^basic$|^Save, load weights/,
    reason:
      "the first step of Keras's Adadelta, and of the paper, counts the step's own gradient; TF.js's doesn't",
  },
  {
    file: 'optimizers/adagrad_optimizer_test.js',
    specs: /^Continue training after loading weights$/,
    reason: "loads Adagrad's state into Adam: rejected",
  },
  {
    file: 'optimizers/momentum_optimizer_test.js',
    specs: /^basic/,
    reason: "counts TF.js's tensors: its momentum is a tensor of its own, Keras's a number",
  },
  {
    file: 'ops/linalg/qr_test.js',
    specs: /^(1x1|2x2|2x2x2|2x1x2x2|3x3|3x3, zero on diagonal|2x3, fullMatrices = .*)$/,
    reason:
      "signs of q's columns are LAPACK's, as in TensorFlow and NumPy; TF.js reflects the last row as well",
  },
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
    reason: 'null among the values of a tensor: rejected',
  },
  {
    file: 'ops/max_pool_test.js',
    specs: /ignores NaNs$/,
    reason: 'NaN wins a window, so that it is never swallowed; TF.js passes over it',
  },
  {
    file: 'ops/avg_pool_3d_test.js',
    specs: /^x=\[1,1,1,1,1\] f=\[1,1,3\] s=1 p=valid$/,
    reason: 'a window larger than its axis is rejected, as by TensorFlow; TF.js gives nothing',
  },
  {
    file: 'ops/max_pool_3d_test.js',
    specs: /ignores NaNs$/,
    reason: 'NaN wins a window, so that it is never swallowed; TF.js passes over it',
  },
  {
    file: 'ops/max_pool_with_argmax_test.js',
    specs: /ignores NaNs$/,
    reason: 'NaN wins a window, so that it is never swallowed; TF.js passes over it',
  },
  {
    file: 'ops/in_top_k_test.js',
    specs: /lower-index element count first/,
    reason: 'classes that tie with the k-th are among the highest, as in TensorFlow and Keras',
  },
  {
    file: 'ops/mirror_pad_test.js',
    specs: /^grad$|^gradient with clones$/,
    reason: "TF.js's gradient leaves out what the mirrored elements add",
  },
  {
    file: 'ops/selu_test.js',
    specs: /^gradients: Tensor[12]D$/,
    reason: 'the derivative at 0 is the scale, as in TensorFlow; TF.js takes the limit from below',
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

/** Returns why `spec` of `file` is skipped; null if it runs. */
export function differenceOf(file: string, spec: string): string | null {
  return differences.find((known) => known.file === file && known.specs.test(spec))?.reason ?? null;
}
