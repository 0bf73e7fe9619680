/**
 * @file Low-rank adapters: a layer whose kernel is frozen learns the product of two small matrices, which is added to it. Source:
 * Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2021; names, initial values and scale are Keras's.
 */
import { type HasTrainable, noteTrainableRead, noteTrainableSet } from '../../../core/trainableReads.ts';
import { ValueError } from '../../../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../../core/options.ts';
import { describe, requireFinite, requireInteger, type Shape } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import { own } from '../../options/kinds.ts';
import type { Nest } from '../../tensorNest.ts';
import { defaultAdapter } from './adapterName.ts';
import {
  type Adapter,
  factorOf,
  lengthsOf,
  merged,
  mergedBias,
  productOf,
  variablesOf,
} from './adapterValues.ts';
import { Layer, type LayerOptions } from './layer.ts';
import { besidesFile, type WeightOptions } from './layerWeights.ts';

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
  /** A layer may have several adapters, by name, of which it uses one. Default 'default'. */
  name?: string;
  /**
   * Which axes of the kernel the first matrix has: 'keras' all but the last; 'peft' those of the inputs, as adapters of
   * Hugging Face have them. They differ only in projections to heads. Default 'keras'.
   */
  layout?: 'keras' | 'peft';
  /** Whether the scale is alpha / √rank. Source: Kalajdzievski, A rank stabilization scaling factor, 2023. Default false. */
  rankStabilized?: boolean;
  /**
   * Whether the sum's columns have lengths that are trained themselves. Source: Liu et al., DoRA: Weight-Decomposed Low-Rank
   * Adaptation, 2024. Default false.
   */
  dora?: boolean;
  /**
   * Whether the second matrix has a bias (`lora_bias` of PEFT), for adapters of kernels without `dora`. A layer without a bias can't have it
   * merged. Default false.
   */
  loraBias?: boolean;
}

const loraOptionNames: OptionNames<LoraOptions> = {
  alpha: false,
  aInitializer: false,
  bInitializer: false,
  name: false,
  layout: false,
  rankStabilized: false,
  dora: false,
  loraBias: false,
};

/**
 * A layer whose kernel may have adapters. Its class ends `build` with `buildAdapter`, and adds to its product what `added` adds, or
 * reads the kernel by `adapted`; its table of options includes `adapterTable`.
 */
export abstract class AdaptedLayer<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends Layer<In, Out> {
  /** The rank of the adapter; null without one. */
  loraRank: number | null;
  /** The adapter is scaled by loraAlpha / loraRank. */
  loraAlpha: number | null;
  readonly #adapters = new Map<string, Adapter>();
  #adapter: Adapter | null = null;
  /** Stands for the adapter while there is none. */
  readonly #none = { trainable: true };

  constructor(options?: LayerOptions & AdapterOptions) {
    super(options);
    const { loraRank = null, loraAlpha = loraRank } = options ?? {};
    this.loraRank = loraRank;
    this.loraAlpha = loraAlpha ?? loraRank;
    if (loraRank !== null) requireInteger(this.name, 'loraRank', loraRank, 1);
  }

  /** The weight that an adapter is added to, and its name; null in classes without adapters, and before `build`. */
  protected abstract get adaptable(): readonly [name: string, weight: Variable | null] | null;

  /** Number of axes of the weight that its inputs have. */
  protected get inputAxes(): number {
    return (this.adaptableShape?.length ?? 1) - 1;
  }

  /**
   * The shape of the weight that an adapter may be added to; null if there is none.
   * @internal
   */
  get adaptableShape(): Shape | null {
    const weight = this.adaptable?.[1];
    return weight && !weight.constraint ? weight.shape : null;
  }

  /**
   * The sides of the matrix that the product of an adapter is.
   * @internal
   */
  adapterSides(layout: LoraOptions['layout'] = 'keras'): readonly [rows: number, columns: number] {
    const shape = this.adaptableShape ?? [];
    const axes = this.#firstAxes(layout, shape);
    const sizeOf = (sizes: Shape) => sizes.reduce((product, n) => product * n, 1);
    return [sizeOf(shape.slice(0, axes)), sizeOf(shape.slice(axes))];
  }

  /**
   * Whether an adapter can be added to the weight itself.
   * @internal
   */
  get isMergeable(): boolean {
    return true;
  }

  /**
   * Sets what the columns of the sum were multiplied by when an adapter of DoRA was merged.
   * @internal
   */
  setFactor(adapter: Adapter, factor: readonly [name: string, options: WeightOptions] | null): void {
    if (adapter.factor) this.removeWeights([adapter.factor]);
    adapter.factor = factor && this.addWeight(...factor);
  }

  /** The adapter in use; null without one. */
  get adapter(): Adapter | null {
    return this.#adapter;
  }

  /** All adapters, by name. */
  get adapters(): ReadonlyMap<string, Adapter> {
    return this.#adapters;
  }

  /** Whether the layer uses an adapter. */
  get loraEnabled(): boolean {
    return this.#adapter !== null;
  }

  /**
   * Freezes the kernel and adds an adapter to it: trainable weights lora_kernel_a [.., rank] and lora_kernel_b [rank, units], whose
   * product times alpha / rank is added (lora_embeddings_a and lora_embeddings_b in embeddings). Files get the sum as the kernel, as
   * in Keras. Further adapters have other names; the layer uses the last one. Compile the model afterwards.
   * Errors: ValueError before the layer is built, for a second adapter of that name, for a kernel with a constraint, while an adapter
   * is merged, and for layers that Keras has no adapters for.
   */
  enableLora(rank: number, options: LoraOptions = {}, ...extra: never[]): void {
    const op = `${this.name}.enableLora`;
    rejectExtraArguments(op, extra, ['rank', 'options']);
    checkOptions(op, options, loraOptionNames);
    requireInteger(op, 'rank', rank, 1);
    this.#add(rank, options, (this.adaptable?.[1]?.path ?? '').replace(/[^/]*$/, ''));
  }

  /** Uses another one of the adapters from now on, or none. Nothing is copied. Errors: ValueError for an unknown name. */
  useAdapter(name: string | null): void {
    const wanted = name === null ? null : this.#adapters.get(name);
    if (wanted === undefined || this.#adapter?.isMerged) {
      throw new ValueError({
        op: `${this.name}.useAdapter`,
        rule: 'it takes the name of an adapter, or null; one that is merged is unmerged first.',
        received: describe(name),
        hint: `its adapters are ${[...this.#adapters.keys()].join(', ') || 'none'}.`,
      });
    }
    this.#adapter = wanted;
    this.loraRank = wanted?.rank ?? null;
    // Files have no other scale.
    this.loraAlpha = wanted && wanted.scale * wanted.rank;
    this.noteAdapter();
  }

  /** Removes an adapter and frees its weights. Without any the kernel can be trained again. */
  removeAdapter(name: string): void {
    const adapter = this.#adapters.get(name);
    if (!adapter) return;
    if (adapter === this.#adapter) {
      adapter.isMerged = false;
      this.useAdapter(null);
    }
    this.#adapters.delete(name);
    this.setFactor(adapter, null);
    this.removeWeights(variablesOf(adapter));
    if (this.#adapters.size === 0) this.freeze(adapter.weight, false);
  }

  /** Adds the adapter that the options ask for. */
  protected buildAdapter(): void {
    if (this.loraRank !== null) this.#add(this.loraRank, { alpha: this.loraAlpha }, '');
  }

  /** The adapter whose product the call adds; null without one. */
  protected get added(): Adapter | null {
    const used: HasTrainable = this.#used ?? this.#none;
    noteTrainableRead(used, used.trainable);
    return this.#used;
  }

  /** The inputs as the kernel multiplies them. Adapters multiply them as they are. */
  protected rounded(x: Tensor): Tensor {
    return x;
  }

  /** The kernel without its adapter. */
  protected base(): Tensor {
    return this.adaptable?.[1] as Variable;
  }

  /** The kernel with its adapter. */
  protected adapted(): Tensor {
    return this.added ? merged(this.added, this.base()) : this.base();
  }

  /** The bias of the layer, and what the adapter in use adds to it. */
  protected get adaptedBias(): Tensor | null {
    const { added } = this;
    return added ? mergedBias(added) : this.#bias;
  }

  /** The sum of the products with the kernel and with the adapter's matrices, without a bias. */
  protected sumOf(product: Tensor, low: Tensor, adapter: Adapter): Tensor {
    const { magnitude } = adapter;
    const sum = add(product, low);
    return magnitude ? mul(sum, factorOf(magnitude, adapter, this.base())) : sum;
  }

  override getConfig(): Record<string, unknown> {
    const { loraRank, loraAlpha } = this;
    return { ...super.getConfig(), ...(loraRank === null ? {} : { loraRank, loraAlpha }) };
  }

  /**
   * Trains the adapter in use and no other. Call it when another one is used, or when it is merged.
   * @internal
   */
  noteAdapter(): void {
    for (const adapter of this.#adapters.values()) {
      adapter.trainable = adapter === this.#used;
      for (const weight of variablesOf(adapter)) this.freeze(weight, !adapter.trainable);
    }
    this.#none.trainable = this.#used === null;
    // Calls that were recorded know nothing of it.
    noteTrainableSet(this);
  }

  /** Number of axes of the weight that the first matrix of an adapter has. */
  #firstAxes(layout: LoraOptions['layout'], shape: Shape): number {
    return layout === 'peft' ? this.inputAxes : shape.length - 1;
  }

  get #bias(): Variable | null {
    return (this as { bias?: Variable | null }).bias ?? null;
  }

  get #used(): Adapter | null {
    return this.#adapter?.isMerged ? null : this.#adapter;
  }

  #add(rank: number, options: LoraOptions, scope: string): void {
    const { alpha, aInitializer = 'heUniform', bInitializer = 'zeros' } = options;
    const {
      name = defaultAdapter,
      layout = 'keras',
      rankStabilized = false,
      dora = false,
      loraBias = false,
    } = options;
    const [kind, weight] = this.adaptable ?? [];
    if (!weight || this.#adapters.has(name) || this.#adapter?.isMerged || weight.constraint) {
      throw new ValueError({
        op: `${this.name}.enableLora`,
        rule: 'an adapter is added once, to the kernel or the embeddings of a layer that is built, without a constraint.',
        received: this.#adapter
          ? `a second one, '${name}'`
          : weight
            ? 'a weight with a constraint'
            : `${this}`,
        hint: 'build the layer, give the adapter another name, or adapt another one: dense, einsumDense, embedding, conv1d, conv2d, conv3d.',
      });
    }
    if (alpha !== undefined && alpha !== null) requireFinite(this.name, 'alpha', alpha);
    const { regularizer } = weight;
    const shape = this.adaptableShape ?? [];
    const suffix = name === defaultAdapter ? '' : `_${name}`;
    const make = (which: string, sizes: Shape, initializer: InitializerLike) =>
      this.addWeight(`${scope}lora_${kind}_${which}${suffix}`, { shape: sizes, initializer, regularizer });
    const axes = this.#firstAxes(layout, shape);
    const scaled = alpha ?? rank;
    const scale = scaled / (rankStabilized ? Math.sqrt(rank) : rank);
    const outputs = shape.slice(this.inputAxes);
    const made = unrecorded(() =>
      besidesFile(() => {
        const a = make('a', [...shape.slice(0, axes), rank], aInitializer);
        const b = make('b', [rank, ...shape.slice(axes)], bInitializer);
        // The layer computes at first what the plain adapter would.
        const lengths = () => lengthsOf(add(this.base(), productOf({ a, b, scale })), outputs.length);
        return {
          a,
          b,
          magnitude: dora ? make('magnitude', outputs, lengths) : null,
          bias: loraBias ? make('bias', outputs, 'zeros') : null,
        };
      }),
    );
    this.#adapters.set(name, {
      ...made,
      name,
      weight,
      layerBias: this.#bias,
      rank,
      alpha: scaled,
      rankStabilized,
      scale,
      factor: null,
      isMerged: false,
      trainable: true,
    });
    this.freeze(weight);
    this.useAdapter(name);
  }
}
