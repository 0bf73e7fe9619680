/** @file Discretization: replaces numbers by the bin that they fall into. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { searchSorted } from '../../../ops/sorting/searchSorted.ts';
import { fill } from '../../../ops/creation/creation.ts';
import { tensor } from '../../../tensor/create.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import {
  encodeCategories,
  encodedDType,
  encodedShape,
  notSparse,
  type OutputMode,
  outputModes,
} from './categories.ts';
import { asFloats } from './images/imageLayer.ts';
import { factoryOf, integer, layer, type LayerOptions, number, oneOf, own } from '../base/declare.ts';

/** Values in ascending order, and how many values of the data each stands for. */
interface Summary {
  values: number[];
  weights: number[];
}

/**
 * The numBins - 1 boundaries of bins with about the same number of values each. `epsilon` is the largest error of the quantiles, which are
 * interpolated in a summary of the values of all batches. Source: Keras, keras/src/layers/preprocessing/discretization.py.
 */
function binBoundaries(batches: readonly Float32Array[], numBins: number, epsilon: number): number[] {
  const merged = batches
    .map((batch) => summaryOf(batch.toSorted(), epsilon))
    .reduce((before, next) => compressed(joined(next, before), epsilon), { values: [], weights: [] });
  return compressed(merged, 1 / numBins).values.slice(0, -1);
}

/** The values of two summaries in ascending order, with their weights. */
function joined(a: Summary, b: Summary): Summary {
  const values = [...a.values, ...b.values];
  const weights = [...a.weights, ...b.weights];
  const order = values.map((_, i) => i).sort((i, j) => (values[i] as number) - (values[j] as number));
  return { values: order.map((i) => values[i] as number), weights: order.map((i) => weights[i] as number) };
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

export interface DiscretizationOptions extends LayerOptions {
  /** Boundaries between the bins, in ascending order. Alternatively, give `numBins` and call `adapt`. */
  binBoundaries?: readonly number[] | null;
  /** The number of bins, whose boundaries `adapt` learns. */
  numBins?: number | null;
  /** Largest error of the quantiles in `adapt`. Default 0.01. */
  epsilon?: number;
  /**
   * The output for each value: 'int', the number of its bin; 'oneHot', 'multiHot' or 'count', a vector with one entry per
   * bin. Default 'int'.
   */
  outputMode?: OutputMode;
  /** Must be false: there are no sparse tensors. */
  sparse?: false;
}

export class Discretization extends /* @__PURE__ */ layer<Omit<DiscretizationOptions, 'binBoundaries'>>(
  'Discretization',
  () => ({
    binBoundaries: own,
    numBins: integer({ default: null }),
    epsilon: number({ min: Number.MIN_VALUE, default: 0.01 }),
    outputMode: oneOf(outputModes, 'int'),
    sparse: notSparse(),
  }),
) {
  #boundaries: readonly number[] | null;

  constructor(options: DiscretizationOptions) {
    super(options);
    const { binBoundaries: given = null } = options;
    if (given === null && this.numBins === null) throw noBins(this.name, 'neither');
    this.#boundaries = given === null ? null : ascending(this.name, given);
  }

  /** Boundaries between the bins; null before `adapt`. */
  get binBoundaries(): readonly number[] | null {
    return this.#boundaries;
  }

  /**
   * Learns the boundaries of `numBins` bins with about the same number of values each. Data are nested arrays of numbers, or
   * a tensor, which is read back. Errors: ValueError for a layer that was given boundaries, and for no data.
   */
  async adapt(data: Tensor | readonly unknown[] | Float32Array): Promise<void> {
    if (this.numBins === null) throw noBins(this.name, 'boundaries');
    const values = data instanceof Tensor ? await data.data() : numbersIn(data);
    this.adaptToBatches([Float32Array.from(values as Iterable<number>)]);
  }

  /**
   * As `adapt` on batches: their summaries are joined, which may move a boundary by the error of the quantiles, as in Keras.
   * @internal
   */
  adaptToBatches(batches: readonly Float32Array[]): void {
    const { numBins, epsilon, name } = this;
    if (numBins === null) throw noBins(name, 'boundaries');
    const filled = batches.filter(({ length }) => length > 0);
    if (filled.length === 0) throw noBins(name, 'no data');
    this.#boundaries = binBoundaries(filled, numBins, epsilon);
  }

  override call(x: Tensor): Tensor {
    const boundaries = this.#boundaries;
    if (boundaries === null) throw noBins(this.name, 'not adapted');
    const { outputMode: mode } = this;
    const bins = boundaries.length
      ? searchSorted(tensor(Float32Array.from(boundaries)) as Tensor, asFloats(x), { side: 'right' })
      : fill(x.shape, 0, { dtype: 'int32' });
    return encodeCategories(bins, { mode, depth: boundaries.length + 1 });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    const depth = this.#boundaries ? this.#boundaries.length + 1 : (this.numBins as number);
    return encodedShape(inputShape, { mode: this.outputMode, depth });
  }

  protected override outputDType(): DType {
    return encodedDType(this.outputMode);
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), binBoundaries: this.#boundaries };
  }
}

function ascending(op: string, given: unknown): readonly number[] {
  const fits =
    Array.isArray(given) && given.every((n, i) => Number.isFinite(n) && (i === 0 || n >= given[i - 1]));
  if (fits) return given as readonly number[];
  throw new ValueError({
    op,
    rule: '`binBoundaries` are finite numbers in ascending order.',
    received: `binBoundaries: ${describe(given)}`,
    hint: 'pass [0, 1, 2] for four bins.',
  });
}

function numbersIn(data: unknown): Iterable<number> {
  return Array.isArray(data) ? (data.flat(Number.POSITIVE_INFINITY) as number[]) : (data as Float32Array);
}

const reasons = {
  neither: ['neither binBoundaries nor numBins', 'pass one of them.'],
  boundaries: ['adapt of a layer without numBins', 'pass numBins in place of binBoundaries.'],
  'no data': ['no data', 'adapt to one value or more.'],
  'not adapted': ['a layer that was not adapted', 'await layer.adapt(data) first.'],
} as const;

function noBins(op: string, reason: keyof typeof reasons): ValueError {
  const [received, hint] = reasons[reason];
  return new ValueError({
    op,
    rule: 'bins are given by their boundaries, or learned from data.',
    received,
    hint,
  });
}

/**
 * The bin of each number: the number of boundaries that are not above it. Shapes: as `categoryEncoding`, or with outputMode
 * 'int' that of the input, int32. Boundaries are given, or learned by `adapt`.
 * Errors: ValueError for invalid options, and for a layer that hasn't been adapted.
 */
export const discretization = /* @__PURE__ */ factoryOf(Discretization, [
  'binBoundaries',
  'numBins',
  'epsilon',
  'outputMode',
]);
