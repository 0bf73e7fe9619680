/**
 * @file Normalization: normalizes features to mean 0 and variance 1, with moments that are given or learned from data in advance.
 */
import type { DType } from '../../../core/dtype.ts';
import { type RetrogradError, ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, maxRank, normalizeAxes, type OpenShape, sizeOf } from '../../../core/shape.ts';
import { warnOnce } from '../../../core/warn.ts';
import type { Origin } from '../../../history/origin.ts';
import { formatSpec } from '../../../core/spec.ts';
import { add, div, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { broadcastTo } from '../../../ops/reductions/sum.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { maximum } from '../../../ops/elementwise/maximum.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { sqrt, square } from '../../../ops/elementwise/unary.ts';
import { moments } from '../../../ops/reductions/variance.ts';
import { type HostArray, tensor } from '../../../tensor/create.ts';
import { tidy } from '../../../tensor/scope.ts';
import { type NestedArray, Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { epsilon } from '../../epsilon.ts';
import { requireSize } from '../base/inputSpec.ts';
import { axisOrAxes } from '../normalization/unitNormalization.ts';
import { factoryOf, flag, layer, type LayerOptions, own } from '../base/declare.ts';

/** A number, or nested arrays of a number for each feature. */
type Moments = number | readonly Moments[];

export interface NormalizationOptions extends LayerOptions {
  /** Axes with separate mean and variance per feature; null: one mean and variance for all values. Default -1. */
  axis?: number | readonly number[] | null;
  /** Means to subtract, of the kept axes; given together with `variance`. Default null: learned by `adapt`. */
  mean?: Moments | null;
  /** Variances to divide by, of the kept axes. Default null: learned by `adapt`. */
  variance?: Moments | null;
  /** Whether to undo a normalization. Default false. */
  invert?: boolean;
}

interface Layout {
  /** The axes with separate moments, in ascending order, and their sizes. */
  kept: readonly number[];
  sizes: readonly number[];
  /** The other axes. */
  reduced: readonly number[];
  /** The shape in which the moments broadcast over the input. */
  over: readonly number[];
}

export class Normalization extends /* @__PURE__ */ layer<Omit<NormalizationOptions, 'mean' | 'variance'>>(
  'Normalization',
  () => ({
    axis: { read: (given = -1, { op, what }) => keptAxes(op, what, given) },
    mean: own,
    variance: own,
    invert: flag(false),
  }),
) {
  override readonly supportsMasking: boolean = true;
  mean: Variable | null = null;
  variance: Variable | null = null;
  count: Variable | null = null;
  readonly #given: { readonly mean: Moments; readonly variance: Moments } | null;
  /** Given moments, which are not weights. */
  #constants: { readonly mean: Variable; readonly variance: Variable } | null = null;
  #layout: Layout | null = null;
  /** The origin of the mean before anything was learned or loaded: assigning a variable replaces it. */
  #untouched: Origin | null = null;

  constructor(options: NormalizationOptions = {}) {
    super(options);
    const { mean = null, variance = null } = options;
    this.#given = givenMoments(this.name, mean, variance, this.#axes.length);
  }

  get #axes(): readonly number[] {
    return this.axis as readonly number[];
  }

  protected override outputDType(): DType {
    return 'float32';
  }

  override build(inputShape: OpenShape): void {
    const rank = inputShape.length;
    const kept = this.#axes.length === 0 ? [] : normalizeAxes(this.name, this.#axes, rank);
    const sizes = kept.map((axis) => requireSize(this.name, inputShape, axis));
    const axes = inputShape.map((_, axis) => axis);
    const over = axes.map((axis) => (kept.includes(axis) ? (inputShape[axis] as number) : 1));
    this.#layout = { kept, sizes, over, reduced: axes.filter((axis) => !kept.includes(axis)) };
    this.inputSpec = [{ rank, axes: Object.fromEntries(kept.map((axis, i) => [axis, sizes[i] as number])) }];
    if (this.#given) {
      const { mean, variance } = this.#given;
      const constant = (moment: Moments) => tidy(() => this.#constant(moment, over));
      this.#constants = { mean: constant(mean), variance: constant(variance) };
      return;
    }
    const weight = { shape: sizes, trainable: false };
    this.mean = this.addWeight('mean', { ...weight, initializer: 'zeros' });
    this.#untouched = this.mean.origin;
    this.variance = this.addWeight('variance', { ...weight, initializer: 'ones' });
    this.count = this.addWeight('count', {
      shape: [],
      initializer: 'zeros',
      trainable: false,
      dtype: 'int32',
    });
  }

  /** Given moments in broadcast shape. Their axes are the last ones of `axis`. */
  #constant(moment: Moments, over: readonly number[]): Variable {
    const { kept } = this.#layout as Layout;
    const value = tensor(moment as number[], { dtype: 'float32' });
    const shape = over.map(() => 1);
    value.shape.forEach((size, i) => {
      shape[kept[kept.length - value.rank + i] as number] = size;
    });
    return new Variable(broadcastTo(reshape(value, { shape }), { shape: [...over] }), { trainable: false });
  }

  override call(input: Tensor): Tensor {
    const x = input.dtype === 'float32' ? input : cast(input, 'float32');
    const { over } = this.#layout as Layout;
    if (input instanceof Tensor && this.mean && this.mean.origin === this.#untouched)
      warnOnce(
        `${this} has learned nothing, so it passes its inputs on as they are. Call adapt(data) before.`,
      );
    const laid = (weight: Variable | null) => reshape(weight as Tensor, { shape: [...over] });
    const mean = this.#constants?.mean ?? laid(this.mean);
    const deviation = maximum(sqrt(this.#constants?.variance ?? laid(this.variance)), epsilon);
    return this.invert ? add(mul(x, deviation), mean) : div(sub(x, mean), deviation);
  }

  /**
   * Learns mean and variance from data: samples as a tensor or nested arrays, or tensors of batches. Replaces what it learned
   * before.
   * Errors: ValueError for anything else, for no data, and where the moments were given; ShapeError for data that the
   * layer wasn't built for.
   */
  adapt(data: Tensor | Iterable<Tensor> | HostArray | NestedArray): void {
    if (this.#given) {
      throw this.#invalid('moments that were given are not learned.', 'a layer with `mean` and `variance`');
    }
    unrecorded(() => tidy(() => this.#learn(this.#batchesOf(data))));
  }

  #batchesOf(data: Tensor | Iterable<Tensor> | HostArray | NestedArray): Iterable<Tensor> {
    if (data instanceof Tensor) return [data];
    if (isHostValues(data)) return [tensor(data)];
    if (isIterable(data)) return data;
    throw this.#invalid('it adapts to a tensor, to nested arrays, or to tensors of batches.', describe(data));
  }

  #learn(batches: Iterable<Tensor>): void {
    let seen = 0;
    let total: readonly [Tensor, Tensor] | null = null;
    for (const batch of batches) {
      if (!(batch instanceof Tensor)) throw this.#invalid('batches are tensors.', describe(batch));
      this.#requireFit(batch);
      const { reduced } = this.#layout as Layout;
      const count = sizeOf(reduced.map((axis) => batch.shape[axis] as number));
      if (count === 0) continue;
      seen += count;
      const found = moments(cast(batch, 'float32'), { axis: [...reduced] }) as [Tensor, Tensor];
      total = total ? merged(total, found, count / seen) : found;
    }
    if (!total) throw this.#invalid('it adapts to one sample or more.', 'no data');
    this.mean?.assign(total[0]);
    this.variance?.assign(total[1]);
  }

  #requireFit(batch: Tensor): void {
    this.ensureBuilt(batch.shape);
    const { over, kept } = this.#layout as Layout;
    const fits = batch.rank === over.length && kept.every((axis) => batch.shape[axis] === over[axis]);
    if (fits) return;
    throw new ShapeError({
      op: this.name,
      rule: `it was built for features of shape ${describe(over)}, where 1 means any size.`,
      received: formatSpec(batch),
      hint: 'adapt it to data like its inputs.',
    });
  }

  #invalid(rule: string, received: string): RetrogradError {
    return new ValueError({
      op: this.name,
      rule,
      received,
      hint: 'call adapt(tensor), or adapt([batch, batch]), on a layer without `mean`.',
    });
  }

  override dispose(): void {
    super.dispose();
    for (const constant of Object.values(this.#constants ?? {})) constant.dispose();
  }

  override getConfig(): Record<string, unknown> {
    const { mean = null, variance = null } = this.#given ?? {};
    return { ...super.getConfig(), mean, variance };
  }
}

/** The axes with moments of their own; none for null. */
function keptAxes(op: string, what: string, given: unknown): readonly number[] {
  if (given === null || (Array.isArray(given) && given.length === 0)) return [];
  return [axisOrAxes(op, what, given)].flat();
}

/** Mean and variance of two sets of samples, of which the second is `part` of the whole. Chan, Golub and LeVeque, 1979. */
function merged(a: readonly [Tensor, Tensor], b: readonly [Tensor, Tensor], part: number): [Tensor, Tensor] {
  const difference = sub(b[0], a[0]);
  const mean = add(a[0], mul(difference, part));
  const within = add(mul(a[1], 1 - part), mul(b[1], part));
  return [mean, add(within, mul(square(difference), part * (1 - part)))];
}

/** Returns whether `data` are numbers: a typed array, or a list of something other than tensors. */
function isHostValues(data: unknown): data is HostArray | NestedArray {
  if (ArrayBuffer.isView(data)) return true;
  return Array.isArray(data) && (typeof data[0] === 'number' || Array.isArray(data[0]));
}

function isIterable(data: unknown): data is Iterable<Tensor> {
  return typeof data === 'object' && data !== null && Symbol.iterator in data;
}

function givenMoments(op: string, mean: Moments | null, variance: Moments | null, axes: number) {
  if (mean === null && variance === null) return null;
  const [a, b] = [mean, variance].map((moment) => (moment === null ? null : shapeOf(moment)));
  const fits = a && b && describe(a) === describe(b) && a.length <= axes;
  if (fits) return { mean: mean as Moments, variance: variance as Moments };
  throw new ValueError({
    op,
    rule: '`mean` and `variance` are given together: finite numbers in one shape, of at most as many axes as `axis` names.',
    received: `mean: ${describe(mean)}, variance: ${describe(variance)}`,
    hint: 'pass a number, or a list with one for each feature, for both.',
  });
}

/** Returns the shape of nested lists of numbers, of at most `maxRank` axes; null for anything else. */
function shapeOf(values: unknown, axes = maxRank): number[] | null {
  if (typeof values === 'number' && Number.isFinite(values)) return [];
  if (!Array.isArray(values) || values.length === 0 || axes === 0) return null;
  const shapes = values.map((item) => shapeOf(item, axes - 1));
  const [first] = shapes;
  return first && shapes.every((shape) => describe(shape) === describe(first))
    ? [values.length, ...first]
    : null;
}

/**
 * (x - mean) / max(√variance, 1e-7) for each feature, in float32; or, with `invert`, x · max(√variance, 1e-7) + mean.
 * Shape: that of the input, of any dtype. Moments that aren't given are weights, which `adapt(data)` sets: mean, variance
 * (of the sizes of `axis`) and count, an int32 that Keras's files have; none of them is trained.
 * Errors: ValueError for invalid options; ShapeError for axes that the input lacks, or whose sizes are open.
 */
export const normalization = /* @__PURE__ */ factoryOf(Normalization, ['axis', 'mean', 'variance', 'invert']);
