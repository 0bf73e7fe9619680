/** @file Bidirectional: a recurrent layer that reads a sequence from both ends. */
import { rejectExtraArguments, type Settings } from '../../../core/options.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { concat } from '../../../ops/arrangement/concat.ts';
import { flip } from '../../../ops/arrangement/flip.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import { deserializeLayer, serializeLayer } from '../../serialization/index.ts';
import type { AnyLayer } from '../base/layer.ts';
import { type ByOutput, RNN, type RecurrentCallOptions, type RecurrentOutput } from './rnn.ts';
import { requireStateShapes } from './cell.ts';
import { wrapped } from './timeDistributed.ts';
import {
  factoryOf,
  type InputSpec,
  layer,
  type LayerOptions,
  nullable,
  oneOf,
  own,
  type Shapes,
} from '../base/declare.ts';

const mergeModes = ['concat', 'sum', 'mul', 'ave'] as const;
/** How the outputs of both directions are combined; null: both are returned. */
export type MergeMode = (typeof mergeModes)[number];

export interface BidirectionalOptions<Out extends RecurrentOutput = RecurrentOutput> extends LayerOptions {
  /** A recurrent layer. A copy with its own weights reads the sequence forwards. */
  layer: RNN<Out> | ClassConfig;
  /** The layer that reads from the end. Default: another copy of `layer`. */
  backwardLayer?: RNN<Out> | ClassConfig | null;
  /** How the outputs are combined; null returns both. Default 'concat'. */
  mergeMode?: MergeMode | null;
}

const forwardPrefix = 'forward_';

/** Options that both directions must have in common. */
const shared = ['stateful', 'returnSequences', 'returnState'] as const satisfies (keyof RNN)[];

export class Bidirectional<
  Out extends RecurrentOutput = RecurrentOutput,
> extends /* @__PURE__ */ (layer<BidirectionalOptions>('Bidirectional', () => ({
  mergeMode: nullable(oneOf(mergeModes, 'concat')),
  layer: own,
  backwardLayer: own,
})) as unknown as ByOutput<BidirectionalOptions<never>, { readonly mergeMode: MergeMode | null }>)<Out> {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'initialState'];

  override readonly supportsMasking: boolean = true;
  override readonly takesMask: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 3 }];
  readonly forwardLayer: RNN;
  readonly backwardLayer: RNN;

  /** `forwardLayer`: a forward layer that was made before, which isn't copied. */
  constructor(options: BidirectionalOptions<never>, forwardLayer: RNN | null = null) {
    super(options);
    const layer = this.#recurrent(options.layer, 'layer');
    const given = options.backwardLayer ?? null;
    this.forwardLayer = forwardLayer ?? copyOf(layer, forwardPrefix, {});
    this.backwardLayer = given
      ? this.#recurrent(given, 'backwardLayer')
      : copyOf(layer, 'backward_', { goBackwards: true });
    this.#requireAlike();
    // Outputs carried over masked steps from opposite ends can't be merged.
    for (const direction of [this.forwardLayer, this.backwardLayer]) {
      direction.zeroOutputForMask = direction.returnSequences;
    }
  }

  /**
   * A layer instead of its configuration is one that the file has elsewhere, too. Configurations have the forward layer
   * itself, so that is shared, not copied.
   */
  static override fromConfig<T, C>(
    this: new (
      options: C,
      forwardLayer: RNN | null,
    ) => T,
    config: C & { readonly layer?: unknown },
  ): T {
    const { layer } = config;
    const isForward = layer instanceof RNN && layer.name.startsWith(forwardPrefix);
    return new this(config, isForward ? layer : null);
  }

  /** The last states of stateful layers: forward, then backward. */
  get states(): readonly Variable[] | null {
    const forward = this.forwardLayer.states;
    const backward = this.backwardLayer.states;
    return forward && backward ? [...forward, ...backward] : null;
  }

  /** Resets the states of both directions. */
  resetState(): void {
    this.forwardLayer.resetState();
    this.backwardLayer.resetState();
  }

  /** Takes the shape of the input, and those of initial states if there are any: of the forward layer, then of the backward one. */
  protected override shapesToBuild([inputShape, states, ...extra]: readonly unknown[]): OpenShape {
    rejectExtraArguments(`${this.name}.build`, extra, ['inputShape', 'initialStateShape']);
    const stateSizes = [this.forwardLayer, this.backwardLayer].flatMap(({ cell }) => cell.stateSizes);
    if (states) requireStateShapes(this.name, stateSizes, states);
    return inputShape as OpenShape;
  }

  override build(inputShape: OpenShape): void {
    this.forwardLayer.ensureBuilt(inputShape);
    this.backwardLayer.ensureBuilt(inputShape);
  }

  override call(x: Tensor, { initialState, mask = null, training }: RecurrentCallOptions): Out {
    const states = this.#halvesOf(initialState);
    const run = (layer: RNN, initialState: unknown) => layer.apply(x, { training, mask, initialState });
    const [forward, ...forwardStates] = [run(this.forwardLayer, states[0])].flat() as [Tensor, ...Tensor[]];
    const [last, ...backwardStates] = [run(this.backwardLayer, states[1])].flat() as [Tensor, ...Tensor[]];
    const backward = this.forwardLayer.returnSequences ? flip(last, { axis: 1 }) : last;
    return this.#output(this.#merge(forward, backward), [...forwardStates, ...backwardStates]);
  }

  override computeMask(_inputs: Tensor, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    const kept = this.forwardLayer.returnSequences ? (leavesOf(mask)[0] ?? null) : null;
    const states = [this.forwardLayer, this.backwardLayer].flatMap(({ cell }) =>
      cell.stateSizes.map(() => null),
    );
    return this.#output(this.mergeMode === null ? [kept, kept] : kept, states) as Nest<Tensor | null>;
  }

  override computeOutputShape(inputShape: OpenShape): Shapes<Out> {
    const shapes = [this.forwardLayer, this.backwardLayer].map((layer) => {
      const shape = layer.computeOutputShape(inputShape);
      return (layer.returnState ? shape : [shape]) as unknown as [OpenShape, ...OpenShape[]];
    });
    const [[forward, ...forwardStates], [backward, ...backwardStates]] = shapes as [
      [OpenShape, ...OpenShape[]],
      [OpenShape, ...OpenShape[]],
    ];
    const width = (forward.at(-1) as number) + (backward.at(-1) as number);
    const concatenated = [...forward.slice(0, -1), width];
    const merged = {
      null: [forward, backward],
      concat: concatenated,
      sum: forward,
      mul: forward,
      ave: forward,
    };
    const output = merged[this.mergeMode ?? 'null'];
    return this.#output(output, [...forwardStates, ...backwardStates]) as unknown as Shapes<Out>;
  }

  override getConfig(): Record<string, unknown> {
    const { forwardLayer, backwardLayer } = this;
    return {
      ...super.getConfig(),
      layer: serializeLayer(forwardLayer as unknown as AnyLayer),
      backwardLayer: serializeLayer(backwardLayer as unknown as AnyLayer),
    };
  }

  #merge(forward: Tensor, backward: Tensor): Tensor | readonly Tensor[] {
    if (this.mergeMode === null) return [forward, backward];
    if (this.mergeMode === 'concat') return concat([forward, backward], { axis: -1 });
    if (this.mergeMode === 'mul') return mul(forward, backward);
    const total = add(forward, backward);
    return this.mergeMode === 'sum' ? total : mul(total, 0.5);
  }

  /** Output and states in one list if states are returned; unmerged outputs are a list anyway. */
  #output(merged: unknown, states: readonly unknown[]): Out {
    const outputs = this.mergeMode === null ? (merged as unknown[]) : [merged];
    if (this.forwardLayer.returnState) return [...outputs, ...states] as unknown as Out;
    return merged as Out;
  }

  #halvesOf(states: RecurrentCallOptions['initialState']): readonly [unknown, unknown] {
    if (states === undefined || states === null) return [null, null];
    const count = this.forwardLayer.cell.stateSizes.length;
    const list = [states].flat();
    if (list.length === count + this.backwardLayer.cell.stateSizes.length)
      return [list.slice(0, count), list.slice(count)];
    throw new ValueError({
      op: this.name,
      rule: `\`initialState\` is a list of the states of the forward layer (${count}), then those of the backward layer.`,
      received: `${list.length} states`,
      hint: 'pass one list: [...forwardStates, ...backwardStates].',
    });
  }

  #recurrent(given: unknown, what: string): RNN {
    const layer = wrapped(this.name, given, what) as unknown;
    if (layer instanceof RNN) return layer;
    throw new ValueError({
      op: this.name,
      rule: `\`${what}\` is a recurrent layer.`,
      received: `${what}: ${String(layer)}`,
      hint: 'pass layers.lstm({ units: 8 }), or layers.rnn({ cell }) with a custom cell.',
    });
  }

  #requireAlike(): void {
    const { forwardLayer, backwardLayer } = this;
    const differs = shared.find((option) => forwardLayer[option] !== backwardLayer[option]);
    if (differs === undefined && forwardLayer.goBackwards !== backwardLayer.goBackwards) return;
    const option = differs ?? 'goBackwards';
    throw new ValueError({
      op: this.name,
      rule: `both directions agree in ${shared.join(', ')}, and differ in goBackwards.`,
      received: `${option}: ${describe(forwardLayer[option])} and ${describe(backwardLayer[option])}`,
      hint: differs ? `set ${option} to the same value.` : 'set goBackwards on the backward layer only.',
    });
  }
}

/** Returns a layer of the same options and no weights yet, with `prefix` before its name. */
function copyOf(layer: RNN, prefix: string, changed: object): RNN {
  const { className, config } = serializeLayer(layer as unknown as AnyLayer);
  const { name } = layer;
  const own = name.startsWith(prefix) ? name : `${prefix}${name}`;
  return deserializeLayer({ className, config: { ...config, ...changed, name: own } }) as unknown as RNN;
}

/**
 * Reads a sequence with a recurrent layer from both ends. Shapes: as the layer, with the outputs of both side by side ('concat'),
 * added ('sum'), multiplied ('mul'), averaged ('ave'), or as a list (null). With `returnState` a list: the output, the states
 * of the forward layer, then those of the backward layer; `initialState` has that order, too. Outputs of masked steps are
 * zeros.
 *
 * Its layers are copies with their own weights, named `forward_<layer>` and `backward_<layer>`.
 * Errors: ValueError for invalid options, and for layers that don't match.
 */
export function bidirectional<Out extends RecurrentOutput>(
  options: BidirectionalOptions<Out> & { mergeMode: null },
): Bidirectional<readonly Tensor[]>;
export function bidirectional<Out extends RecurrentOutput>(
  ...options: Settings<BidirectionalOptions<Out>, ['layer', 'mergeMode']>
): Bidirectional<Out>;
export function bidirectional(...args: unknown[]): unknown {
  return made(...(args as [never]));
}

const made = /* @__PURE__ */ factoryOf(Bidirectional, ['layer', 'mergeMode']);
