/** @file The exponent of growth: how steeply a straight line through the logarithms of sizes and costs rises. */

export interface Point {
  readonly size: number;
  readonly cost: number;
}

/** How many of the largest sizes count: costs that don't grow hide the exponent of small ones. */
const upperSizes = 4;

/**
 * Returns the exponent p of `cost ≈ c · size^p`, by least squares over the largest sizes; NaN for fewer than two points
 * with a cost.
 */
export function exponentOf(points: readonly Point[]): number {
  const upper = [...points]
    .sort((a, b) => a.size - b.size)
    .filter(({ cost }) => cost > 0)
    .slice(-upperSizes);
  if (upper.length < 2) return Number.NaN;
  const xs = upper.map(({ size }) => Math.log(size));
  const ys = upper.map(({ cost }) => Math.log(cost));
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = mean(xs.map((x, i) => (x - meanX) * ((ys[i] as number) - meanY)));
  return covariance / mean(xs.map((x) => (x - meanX) ** 2));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
