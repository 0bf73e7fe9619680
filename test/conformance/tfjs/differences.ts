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
    file: 'ops/arg_max_test.js',
    specs: /gradient/,
    reason: "positions have no gradient, as in TensorFlow; TF.js's is zeros",
  },
  {
    file: 'ops/arg_min_test.js',
    specs: /gradient/,
    reason: "positions have no gradient, as in TensorFlow; TF.js's is zeros",
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
    file: 'ops/avg_pool_test.js',
    specs: /f=\[1,1\] s=2 p=1/,
    reason: 'a window that lies in the padding altogether has no average: refused',
  },
  {
    file: 'ops/greater_equal_test.js',
    specs: /gradient/,
    reason: "comparisons have no gradient, as in TensorFlow; TF.js's is zeros",
  },
  {
    file: 'ops/ensure_shape_test.js',
    specs: /^null shape$/,
    reason: 'null among the values of a tensor: refused',
  },
];

/** Why `spec` of `file` is left out; null where it runs. */
export function differenceOf(file: string, spec: string): string | null {
  return differences.find((known) => known.file === file && known.specs.test(spec))?.reason ?? null;
}
