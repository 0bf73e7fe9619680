/**
 * @file The base of multi-head attention layers, with a projection per head. Several query heads may share a key and value
 * head.
 */
import { computeDTypeOf } from '../base/dtypePolicy.ts';
import { plainOptions, rejectExtraArguments } from '../../../core/options.ts';
import { checkedOptions } from '../base/layerOptions.ts';
import type { ApplyOptions } from '../base/layer.ts';
import type { BiasOptions, KernelOptions } from '../base/weightOptions.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireBoolean } from '../../../core/shape.ts';
import { sigmoid } from '../../../ops/activations/activations.ts';
import { mul } from '../../../ops/elementwise/arithmetic.ts';
import { repeat } from '../../../ops/arrangement/repeat.ts';
import type { SymbolicTensor } from '../../../ops/define/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { configOf } from '../../namedObjects.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { trace } from '../../graph/tracing.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import { type Regularizer, regularizerOf } from '../../regularizers/index.ts';
import { Dropout } from '../regularization/dropout.ts';
import { EinsumDense } from '../core/einsumDense.ts';
import { fraction, seeded } from '../base/randomOptions.ts';
import type { Option } from '../../options/option.ts';
import { attend, attendFused, isFusable, type Masks, type Projected } from './heads.ts';
import { allOf, asMask, causalMask, ofQueries, ofValues, windowMask } from './attentionMasks.ts';
import {
  type CallOptions,
  checked,
  flag,
  type InputSpec,
  integer,
  Layer,
  type LayerOptions,
  weights,
} from '../base/declare.ts';

/** Options shared by multi-head attention layers. */
export interface HeadsOptions extends LayerOptions, KernelOptions, BiasOptions {
  /** Fraction of the scores that is cleared in training. Default 0. */
  dropout?: number;
  /** Whether heads are multiplied by the sigmoid of a projection of the query. Default false. */
  useGate?: boolean;
  /** A query sees only values that are fewer steps away than this. Default: all. */
  slidingWindow?: number | null;
  /** Makes the dropout reproducible. Default: a new draw each time. */
  seed?: number | null;
}

/** The table of these options. */
export const headsTable = () => ({
  dropout: fraction(0),
  useBias: flag(true),
  ...weights({ kernel: 'glorotUniform', bias: 'zeros' }),
  seed: seeded(),
  useGate: flag(false),
  slidingWindow: integer({ default: null }),
});

/** Number and sizes of the heads. The options of classes have other names. */
export interface HeadSizes {
  readonly numHeads: number;
  /** Number of key and value heads; each serves the same number of query heads. */
  readonly keyValueHeads: number;
  readonly keyDim: number;
  readonly valueDim: number;
  readonly outputShape?: readonly number[] | null;
  readonly attentionAxes?: readonly number[] | null;
}

/** Options of a call besides `training`. Masks of dtypes other than bool are true where not 0. */
export interface AttentionOptions<T> {
  /** The value, if the input is only the query. */
  value?: T;
  /** The keys, which queries are compared with: [batch, values, features]. Default: the value. */
  key?: T | null;
  /** [batch, queries, values], or with an axis of heads before the last two: true where a query sees a value. */
  attentionMask?: T | null;
  /** [batch, queries]. Default: the mask of the query. */
  queryMask?: T | null;
  /** [batch, values]. Default: the mask of the value. */
  valueMask?: T | null;
  /** [batch, values]. Default: the mask of the key. */
  keyMask?: T | null;
  /** Whether queries see no later values. Default false. */
  useCausalMask?: boolean;
  /** Whether to return the attention scores as well. Default false. */
  returnAttentionScores?: boolean;
}

type AttentionCall = CallOptions & AttentionOptions<Tensor>;
type Attended = Tensor | readonly [output: Tensor, scores: Tensor];

/** The projections, by the names of their layers. */
type Projection = 'query' | 'key' | 'value' | 'gate' | 'attention_output';

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

export abstract class HeadsAttention extends Layer<readonly Tensor[], Attended> {
  static override readonly callOptionNames: readonly string[] = [
    'training',
    'mask',
    'value',
    'key',
    'attentionMask',
    'queryMask',
    'valueMask',
    'keyMask',
    'useCausalMask',
    'returnAttentionScores',
  ];

  override readonly supportsMasking: boolean = true;
  /** @internal */
  override masksEachInput = true;
  declare readonly dropout: number;
  declare readonly useBias: boolean;
  declare readonly useGate: boolean;
  declare readonly slidingWindow: number | null;
  declare readonly seed: number | null;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 3 }, { minRank: 3 }, { minRank: 3 }];
  queryDense: EinsumDense | null = null;
  keyDense: EinsumDense | null = null;
  // The order of these properties is the order of the weights, as in Keras.
  gateDense: EinsumDense | null = null;
  valueDense: EinsumDense | null = null;
  outputDense: EinsumDense | null = null;
  dropoutLayer: Dropout | null = null;
  /** Applied to each projection. */
  readonly #activityRegularizer: Regularizer | null;

  constructor(given: HeadsOptions) {
    checkedOptions(new.target, given);
    const { activityRegularizer, ...options } = given;
    super(options);
    this.#activityRegularizer = regularizerOf(activityRegularizer);
  }

  protected override shapesToBuild(shapes: readonly unknown[]): readonly OpenShape[] {
    return listOfShapes(this.name, shapes);
  }

  protected abstract get sizes(): HeadSizes;

  /**
   * Calls the layer on [query, value] or [query, value, key], or on a query alone: with `value` among the options, or
   * otherwise as self-attention.
   */
  override apply(
    inputs: Tensor | readonly Tensor[],
    options: ApplyOptions & AttentionOptions<Tensor> & { returnAttentionScores: true },
  ): readonly [output: Tensor, scores: Tensor];
  override apply(
    inputs: Tensor | readonly Tensor[],
    options?: ApplyOptions & AttentionOptions<Tensor> & { returnAttentionScores?: false },
  ): Tensor;
  override apply(
    inputs: SymbolicTensor | readonly SymbolicTensor[],
    options: ApplyOptions & AttentionOptions<SymbolicTensor> & { returnAttentionScores: true },
  ): readonly [output: KerasTensor, scores: KerasTensor];
  override apply(
    inputs: SymbolicTensor | readonly SymbolicTensor[],
    options?: ApplyOptions & AttentionOptions<SymbolicTensor> & { returnAttentionScores?: false },
  ): KerasTensor;
  override apply(inputs: Nest<unknown>, called: ApplyOptions = {}, ...extra: never[]): never {
    rejectExtraArguments(`${this.name}.apply`, extra, ['inputs', 'options']);
    const { value, key, ...options } = plainOptions(this.name, called);
    const [query, given = value ?? query, givenKey = key ?? null] = leavesOf(inputs);
    const all = [query, given, ...(givenKey === null ? [] : [givenKey])];
    return super.apply(all as Tensor[], options) as never;
  }

  /** Takes the shapes of query, value and key in a list, or one after the other, as in Keras; that of the key may be left out. */
  override build(shapes: readonly OpenShape[]): void;
  override build(queryShape: OpenShape, valueShape: OpenShape, keyShape?: OpenShape | null): void;
  override build(inputShape: readonly OpenShape[] | OpenShape): void {
    const { query, value, key } = this.#shapes(inputShape as readonly OpenShape[]);
    const { numHeads, keyValueHeads, keyDim, valueDim } = this.sizes;
    const projected = (name: Projection, from: OpenShape, to: readonly number[], bound = 1) => {
      const dense = this.#projection(name, from.length, bound, to);
      dense.ensureBuilt(from);
      return dense;
    };
    this.queryDense = projected('query', query, [numHeads, keyDim]);
    this.keyDense = projected('key', key, [keyValueHeads, keyDim]);
    this.valueDense = projected('value', value, [keyValueHeads, valueDim]);
    if (this.useGate) this.gateDense = projected('gate', query, [numHeads, valueDim]);
    const heads = [...query.slice(0, -1), numHeads, valueDim];
    const output = this.sizes.outputShape ?? [query.at(-1) as number];
    this.outputDense = projected('attention_output', heads, output, 2);
    this.dropoutLayer = new Dropout({ rate: this.dropout, seed: this.seed });
  }

  override call(inputs: readonly Tensor[], options: AttentionCall): Attended {
    const [query, value, key = value] = inputs as [Tensor, Tensor, Tensor?];
    const { training, returnAttentionScores = false } = options;
    requireBoolean(this.name, 'returnAttentionScores', returnAttentionScores);
    const project = (dense: EinsumDense | null, x: Tensor) => (dense as EinsumDense).apply(x, { mask: null });
    const axes = this.axesOf(query.rank);
    const masks = this.#masks(inputs, options);
    const perHead = {
      query: project(this.queryDense, query),
      key: project(this.keyDense, key as Tensor),
      value: project(this.valueDense, value),
      axes,
    };
    const scale = 1 / Math.sqrt(this.sizes.keyDim);
    const needsScores = returnAttentionScores || (training === true && this.dropout > 0);
    // The fused op shares heads itself, unless queries are masked.
    const projected = needsScores || masks.queryMask ? this.#withAllHeads(perHead) : perHead;
    // Where Keras doesn't take its fused op, queries that see no key get zeros.
    const clears = this.dropout > 0 || query.rank !== 3;
    const { output, scores } =
      !needsScores && isFusable({ ...projected, ...masks })
        ? { output: attendFused({ ...projected, ...masks, scale, clears }), scores: null }
        : this.#attendWithScores(projected, masks, scale, training);
    const gated = this.gateDense ? mul(output, sigmoid(project(this.gateDense, query))) : output;
    const attended = project(this.outputDense, gated);
    return scores && returnAttentionScores ? [attended, scores] : attended;
  }

  override computeMask(_inputs: unknown, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    return [leavesOf(mask)[0] ?? null, null];
  }

  override computeOutputShape(inputShape: readonly OpenShape[]): never {
    const { query } = this.#shapes(inputShape);
    const { outputShape } = this.sizes;
    return (outputShape ? [...query.slice(0, -1), ...outputShape] : query) as never;
  }

  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: AttentionCall): Nest<KerasTensor> {
    const dtype = computeDTypeOf(this);
    const shapes = leavesOf(inputs).map(({ shape }) => shape);
    const symbolic = (shape: OpenShape) => trace(() => new KerasTensor({ shape, dtype }));
    const output = symbolic(this.computeOutputShape(shapes));
    if (!options.returnAttentionScores) return output;
    const { query, value } = this.#shapes(shapes);
    const axes = this.axesOf(query.length);
    const others = query.slice(0, -1).filter((_, axis) => !axes.includes(axis));
    const sizes = (shape: OpenShape) => axes.map((axis) => shape[axis] ?? null);
    return [output, symbolic([...others, this.sizes.numHeads, ...sizes(query), ...sizes(value)])];
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), activityRegularizer: configOf(this.#activityRegularizer) };
  }

  /** Repeats keys and values, so that each query head has its own. */
  #withAllHeads(projected: Projected): Projected {
    const { numHeads, keyValueHeads } = this.sizes;
    if (keyValueHeads === numHeads) return projected;
    const spread = (x: Tensor) => repeat(x, { repeats: numHeads / keyValueHeads, axis: -2 });
    return { ...projected, key: spread(projected.key), value: spread(projected.value) };
  }

  #projection(name: Projection, rank: number, bound: number, to: readonly number[]): EinsumDense {
    const take = (from: number, count: number) => alphabet.slice(from, from + count);
    const free = take(0, rank - bound);
    const summed = take(free.length, bound);
    const made = take(rank, to.length);
    const { initializer, regularizer, constraint } = this.weightRules('kernel');
    const bias = this.weightRules('bias');
    return new EinsumDense({
      name,
      trainable: this.trainable,
      dtype: this.dtypePolicy,
      equation: `${free}${summed},${summed}${made}->${free}${made}`,
      outputShape: [...new Array<null>(free.length - 1).fill(null), ...to],
      biasAxes: this.useBias ? made : null,
      kernelInitializer: initializer,
      kernelRegularizer: regularizer,
      kernelConstraint: constraint,
      biasInitializer: bias.initializer,
      biasRegularizer: bias.regularizer,
      biasConstraint: bias.constraint,
      activityRegularizer: this.#activityRegularizer,
    });
  }

  #attendWithScores(
    { query, ...projected }: Projected,
    { queryMask, isCausal, mask }: Masks,
    scale: number,
    training: boolean | undefined,
  ): { output: Tensor; scores: Tensor } {
    const [queries, values] = [query.shape[1] as number, projected.value.shape[1] as number];
    return attend({
      ...projected,
      query: mul(query, scale),
      mask: allOf([ofQueries(queryMask), isCausal ? causalMask(queries, values) : null, mask]),
      drop: (scores) => (this.dropoutLayer as Dropout).apply(scores, { training }),
    });
  }

  #masks([query, value]: readonly Tensor[], options: AttentionCall): Masks {
    const { mask = null, useCausalMask = false, attentionMask = null } = options;
    requireBoolean(this.name, 'useCausalMask', useCausalMask);
    const carried = Array.isArray(mask) ? (mask as (Tensor | null)[]) : [mask as Tensor | null];
    const { queryMask = carried[0], valueMask = carried[1], keyMask = carried[2] } = options;
    const queries = (query as Tensor).shape[1] as number;
    const values = (value as Tensor).shape[1] as number;
    return {
      queryMask: queryMask ? asMask(queryMask) : null,
      isCausal: useCausalMask,
      mask: allOf([
        ofValues(valueMask ?? null),
        ofValues(keyMask ?? null),
        this.slidingWindow === null ? null : windowMask(queries, values, this.slidingWindow),
        attentionMask && asMask(attentionMask),
      ]),
    };
  }

  /** Returns the attended axes of inputs of that rank. */
  protected axesOf(rank: number): readonly number[] {
    const given = this.sizes.attentionAxes ?? null;
    if (given === null) return Array.from({ length: rank - 2 }, (_, i) => i + 1);
    const axes = given.map((axis) => (axis < 0 ? axis + rank : axis));
    if (axes.every((axis) => axis >= 1 && axis <= rank - 2) && new Set(axes).size === axes.length)
      return axes;
    throw new ShapeError({
      op: this.name,
      rule: `\`attentionAxes\` are axes between the batch and the features, from 1 to ${rank - 2}, each once.`,
      received: `attentionAxes: ${describe(given)}`,
      hint: 'leave it out to attend over all of them.',
    });
  }

  #shapes(given: readonly OpenShape[]): Record<'query' | 'value' | 'key', OpenShape> {
    const inputShape = Array.isArray(given) ? given : [given];
    const [query, value, key = value] = inputShape as [OpenShape, OpenShape, OpenShape?];
    const alike = (a: readonly unknown[], b: readonly unknown[]) =>
      a.length === b.length && a.every((n, i) => n === b[i] || n === null || b[i] === null);
    const within = (shape: OpenShape) => shape.slice(1, -1);
    const areLists =
      inputShape.length >= 2 &&
      inputShape.every((shape) => Array.isArray(shape) && !shape.some(Array.isArray));
    const ranks = areLists && query.length === value.length && inputShape.length <= 3;
    if (ranks && alike(within(value), within(key as OpenShape))) {
      this.axesOf(query.length);
      return { query, value, key: key as OpenShape };
    }
    throw new ShapeError({
      op: this.name,
      rule: 'query, value and key have the same rank, and value and key the same sizes except the last.',
      received: inputShape.map((shape) => describe(shape)).join(', '),
      hint: 'pass [query, value] or [query, value, key], each [batch, steps, features].',
    });
  }
}

/** One or several integers of at least `min`, as a list, or null. */
export function integers(min: number): Option<readonly number[] | null> {
  return checked((op, what, given: unknown) => {
    const list = [given].flat();
    if (list.length > 0 && list.every((n) => Number.isInteger(n) && (n as number) >= min))
      return list as number[];
    throw new ValueError({
      op,
      rule: `\`${what}\` is an integer${min > 0 ? ' above 0' : ''}, or a list of them.`,
      received: `${what}: ${describe(given)}`,
      hint: 'leave it out for the default.',
    });
  }, null);
}

/** Returns the arguments of `build` as one list. Errors: ValueError for more than three shapes. */
function listOfShapes(name: string, given: readonly unknown[]): readonly OpenShape[] {
  const [first, valueShape, keyShape, ...extra] = given;
  if (valueShape === undefined) return first as readonly OpenShape[];
  rejectExtraArguments(`${name}.build`, extra as never[], ['queryShape', 'valueShape', 'keyShape']);
  return [first, valueShape, ...(keyShape ? [keyShape] : [])] as OpenShape[];
}
