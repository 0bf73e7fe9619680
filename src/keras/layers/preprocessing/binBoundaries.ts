/**
 * @file Boundaries of bins with about the same number of values each, found as in Keras: a summary of weighted values,
 * interpolated at the quantiles (keras/src/layers/preprocessing/discretization.py).
 */

interface Summary {
  values: number[];
  weights: number[];
}

/** The numBins - 1 boundaries. `epsilon` is the largest error of the quantiles. */
export function binBoundaries(data: Float32Array, numBins: number, epsilon: number): number[] {
  const sorted = data.toSorted();
  const merged = compressed(summaryOf(sorted, epsilon), epsilon);
  return compressed(merged, 1 / numBins).values.slice(0, -1);
}

/** One of every few values, with a weight to match. */
function summaryOf(sorted: Float32Array, epsilon: number): Summary {
  const step = Math.max(sorted.length * epsilon, 1);
  const values: number[] = [];
  for (let i = Math.trunc(step - 1); i < sorted.length; i += Math.trunc(step))
    values.push(sorted[i] as number);
  return { values, weights: values.map(() => step) };
}

/** Reduces a summary to 1 / epsilon values at most. */
function compressed({ values, weights }: Summary, epsilon: number): Summary {
  if (values.length * epsilon < 1) return { values, weights };
  const sums = cumulative(weights);
  const total = sums.at(-1) as number;
  const shares = sums.map((sum) => sum / total);
  const percents: number[] = [];
  for (let i = 0; i * epsilon < 1; i++) percents.push(epsilon + i * epsilon);
  const bins = percents.map((percent) => Math.fround(interpolate(percent, shares, values)));
  const reached = percents.map((percent) => interpolate(percent, shares, sums));
  return { values: bins, weights: reached.map((sum, i) => sum - (reached[i - 1] ?? 0)) };
}

function cumulative(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** Returns the piecewise linear function through the points at `x`, ascending; constant outside. */
function interpolate(x: number, xs: readonly number[], ys: readonly number[]): number {
  const above = xs.findIndex((value) => value >= x);
  if (above < 0) return ys.at(-1) as number;
  if (above === 0) return ys[0] as number;
  const [left, right] = [xs[above - 1] as number, xs[above] as number];
  const [low, high] = [ys[above - 1] as number, ys[above] as number];
  return low + ((high - low) * (x - left)) / (right - left);
}
