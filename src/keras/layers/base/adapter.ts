/**
 * @file Low-rank adapters: a layer whose kernel is frozen learns the product of two small matrices, which is added to it. Source:
 * Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2021; names, initial values and scale are Keras's.
 */
import { noteTrainableSet } from '../../../core/trainableReads.ts';
import { ValueError } from '../../../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../../core/options.ts';
import { requireFinite, requireInteger, type Shape } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/arithmetic.ts';
import { matMul } from '../../../ops/matMul.ts';
import { reshape } from '../../../ops/reshape.ts';
import { withRecorders } from '../../../ops/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import { own } from '../../options/kinds.ts';
import type { Nest } from '../../tensorNest.ts';
import { Layer, type LayerOptions } from './layer.ts';
import { besidesFile } from './layerWeights.ts';

/** Options of layers that may have a low-rank adapter. */
export interface AdapterOptions {
  /**
   * The rank of an adapter: the kernel is frozen, and the product of two trainable matrices is added to it, [.., rank] and [rank,
   * units]. Default null: no adapter; `enableLora` adds one later.
   */
  loraRank?: number | null;
  /** The product is scaled by loraAlpha / loraRank. Default: `loraRank`. */
  loraAlpha?: number | null;
}

export const adapterOptionNames: OptionNames<AdapterOptions> = { loraRank: false, loraAlpha: false };

/** The options of adapters, which `AdaptedLayer` reads and writes itself. */
export const adapterTable = () => ({ loraRank: own, loraAlpha: own });

/** Options of `enableLora`. */
export interface LoraOptions {
  /** The adapter is scaled by alpha / rank. Default: the rank. */
  alpha?: number | null;
  /** Initial values of the first matrix. Default 'heUniform'. */
  aInitializer?: InitializerLike;
  /** Initial values of the second matrix. Default 'zeros': the layer computes what it did before. */
  bInitializer?: InitializerLike;
}

/** An adapter of a weight. */
export interface Adapter {
  readonly weight: Variable;
  /** [.., rank]. */
  readonly a: Variable;
  /** [rank, units]. */
  readonly b: Variable;
  readonly scale: number;
}

/**
 * A layer whose kernel may have an adapter. Its class ends `build` with `buildAdapter`, and reads the kernel by `adapted`; its option
 * names include `adapterOptionNames`.
 */
export abstract class AdaptedLayer<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends Layer<In, Out> {
  /** The rank of the adapter; null without one. */
  loraRank: number | null;
  /** The adapter is scaled by loraAlpha / loraRank. */
  loraAlpha: number | null;
  #adapter: Adapter | null = null;

  constructor(options?: LayerOptions & AdapterOptions) {
    super(options);
    const { loraRank = null, loraAlpha = loraRank } = options ?? {};
    this.loraRank = loraRank;
    this.loraAlpha = loraAlpha ?? loraRank;
    if (loraRank !== null) requireInteger(this.name, 'loraRank', loraRank, 1);
  }

  /** The weight that an adapter is added to, and its name; null in classes without adapters, and before `build`. */
  protected abstract get adaptable(): readonly [name: string, weight: Variable | null] | null;

  /** The adapter; null without one. */
  get adapter(): Adapter | null {
    return this.#adapter;
  }

  /** Whether the layer has an adapter. */
  get loraEnabled(): boolean {
    return this.#adapter !== null;
  }

  /**
   * Freezes the kernel and adds an adapter to it: trainable weights lora_kernel_a [.., rank] and lora_kernel_b [rank, units], whose
   * product times alpha / rank is added (lora_embeddings_a and lora_embeddings_b in embeddings). Files get the sum as the kernel, as
   * in Keras. Compile the model afterwards.
   * Errors: ValueError before the layer is built, for a second adapter, for a kernel with a constraint, and for layers that Keras has
   * no adapters for.
   */
  enableLora(rank: number, options: LoraOptions = {}, ...extra: never[]): void {
    const op = `${this.name}.enableLora`;
    rejectExtraArguments(op, extra, ['rank', 'options']);
    checkOptions(op, options, ['alpha', 'aInitializer', 'bInitializer']);
    requireInteger(op, 'rank', rank, 1);
    this.#add(rank, options, (this.adaptable?.[1]?.path ?? '').replace(/[^/]*$/, ''));
    // Calls that were recorded know nothing of the adapter.
    noteTrainableSet(this);
  }

  /** Adds the adapter that the options ask for. */
  protected buildAdapter(): void {
    if (this.loraRank !== null) this.#add(this.loraRank, { alpha: this.loraAlpha }, '');
  }

  /** The kernel with its adapter. */
  protected adapted(): Tensor {
    return this.#adapter ? merged(this.#adapter) : (this.adaptable?.[1] as Variable);
  }

  override getConfig(): Record<string, unknown> {
    const { loraRank, loraAlpha } = this;
    return { ...super.getConfig(), ...(loraRank === null ? {} : { loraRank, loraAlpha }) };
  }

  #add(rank: number, options: LoraOptions, scope: string): void {
    const { alpha, aInitializer = 'heUniform', bInitializer = 'zeros' } = options;
    const [name, weight] = this.adaptable ?? [];
    if (!weight || this.#adapter || weight.constraint) {
      throw new ValueError({
        op: `${this.name}.enableLora`,
        rule: 'an adapter is added once, to the kernel or the embeddings of a layer that is built, without a constraint.',
        received: this.#adapter ? 'a second one' : weight ? 'a weight with a constraint' : `${this}`,
        hint: 'build the layer, or adapt another one: dense, einsumDense, embedding, conv1d, conv2d, conv3d.',
      });
    }
    if (alpha !== undefined && alpha !== null) requireFinite(this.name, 'alpha', alpha);
    const { shape, regularizer } = weight;
    const make = (which: string, sizes: Shape, initializer: InitializerLike) =>
      this.addWeight(`${scope}lora_${name}_${which}`, { shape: sizes, initializer, regularizer });
    this.loraRank = rank;
    this.loraAlpha = alpha ?? rank;
    const scale = this.loraAlpha / rank;
    this.#adapter = withRecorders([], () =>
      besidesFile(() => ({
        weight,
        a: make('a', [...shape.slice(0, -1), rank], aInitializer),
        b: make('b', [rank, shape.at(-1) as number], bInitializer),
        scale,
      })),
    );
    this.freeze(weight);
  }
}

/** The weight and what its adapter adds. */
export function merged({ weight, a, b, scale }: Adapter): Tensor {
  const rows = reshape(a, { shape: [-1, b.shape[0] as number] });
  return add(weight, mul(reshape(matMul(rows, b), { shape: weight.shape }), scale));
}
