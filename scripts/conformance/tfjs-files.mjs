// @ts-check
/**
 * @file Which of TF.js's test files `npm test` runs, and which say nothing about Retrograd.
 */

/** Run by `npm test`: every file of what the library offers. Names under `@tensorflow/tfjs-core/dist`. */
export const TESTED_FILES = [
  'gradients_test.js',
  'ops/mat_mul_test.js',
  'ops/conv2d_test.js',
  'ops/gather_test.js',
  'ops/unsorted_segment_sum_test.js',
  'ops/softmax_test.js',
  'ops/arithmetic_test.js',
];

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
