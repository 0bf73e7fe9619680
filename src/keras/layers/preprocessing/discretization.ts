/** @file Discretization: replaces numbers by the bin that they fall into. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { searchSorted } from '../../../ops/sorting/searchSorted.ts';
import { fill } from '../../../ops/creation/creation.ts';
import { tensor } from '../../../tensor/create.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { binBoundaries } from './binBoundaries.ts';
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
    const { numBins, epsilon, name } = this;
    if (numBins === null) throw noBins(name, 'boundaries');
    const values = data instanceof Tensor ? await data.data() : numbersIn(data);
    const list = Float32Array.from(values as Iterable<number>);
    if (list.length === 0) throw noBins(name, 'no data');
    this.#boundaries = binBoundaries(list, numBins, epsilon);
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
