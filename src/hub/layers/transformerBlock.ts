/**
 * @file Blocks of transformers: attention over the sequence, then a feed-forward layer for each position, each with a residual
 * connection and normalizations. In an encoder, each position sees all others; in a decoder, it sees no later ones.
 */
import { ValueError } from '../../core/errors.ts';
import type { OpenShape } from '../../core/shape.ts';
import {
  type CallOptions,
  checked,
  factoryOf,
  flag,
  type InputSpec,
  integer,
  Layer,
  layer,
  type LayerClass,
  type LayerOptions,
  number,
  oneOf,
  weights,
} from '../../keras/layers/base/declare.ts';
import { requireChannels } from '../../keras/layers/base/inputSpec.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import type { BiasOptions, KernelOptions } from '../../keras/layers/base/weightOptions.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import type { OptionTable } from '../../keras/options/fields.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type TransformerActivation, transformerActivations } from './activationNames.ts';
import type { AttentionCache } from './attentionCache.ts';
import {
  type AttentionBias,
  biasKinds,
  CachedMultiHeadAttention,
  type CachedMultiHeadAttentionOptions,
} from './cachedMultiHeadAttention.ts';
import { FeedForward } from './feedForward.ts';
import {
  addNormalized,
  type Normalization,
  type NormalizationKind,
  normalizationKinds,
  normalizationOf,
} from './normalization.ts';

/** Options of attention that blocks pass on. */
type AttentionOptions = Pick<
  CachedMultiHeadAttentionOptions,
  'numHeads' | 'numKeyValueHeads' | 'rotary' | 'queryKeyNormalization' | 'slidingWindow'
>;

/** Options of `transformerDecoder` and `transformerEncoder`. */
export interface TransformerOptions
  extends LayerOptions,
    AttentionOptions,
    Omit<KernelOptions & BiasOptions, 'useBias' | `${string}${'Regularizer' | 'Constraint'}`> {
  /** The number of features of the feed-forward layer. */
  intermediateDim: number;
  /** Size of each head. Default: the features of the input, divided by `numHeads`. */
  headDim?: number | null;
  /** Fraction of the outputs of attention and of the feed-forward layer that is cleared in training. Default 0. */
  dropout?: number;
  /** Fraction of the scores of attention that is cleared in training. Default: `dropout`. */
  attentionDropout?: number | null;
  /** Applied in the feed-forward layer. Default 'relu'. */
  activation?: TransformerActivation;
  /** Whether the activation of one projection gates another: SwiGLU, GeGLU. Default false. */
  gated?: boolean;
  /** The kind of all normalizations. Default 'layer'. */
  normalization?: NormalizationKind;
  /** Added to the variance there. Default 1e-5. */
  layerNormEpsilon?: number;
  /** Whether inputs are normalized, instead of sums with the residual. Default false. */
  normalizeFirst?: boolean;
  /** Whether outputs are normalized as well, before they are added, as in Gemma. Default false. */
  normalizeOutputs?: boolean;
  /** Whether one projection makes queries, keys and values, as in GPT-2. Default false. */
  fusedAttention?: boolean;
  /** Which projections of attention add a bias. Default 'all'. */
  attentionBias?: AttentionBias;
  /** The factor of products of queries and keys. Default: 1 / √headDim. */
  attentionScale?: number | null;
  /** Whether the feed-forward layer adds biases. Default true. */
  feedForwardBias?: boolean;
  /** Whether attention to another sequence follows that to the input's own, as in decoders of two towers. Default false. */
  crossAttention?: boolean;
}

/** Options of a call of a block, besides `training`. */
export interface TransformerCall extends CallOptions {
  /** bool or integers [batch, length]: 0 where a token is padding, which others don't see. */
  paddingMask?: Tensor | null;
  /** The state of a generation. */
  cache?: AttentionCache | null;
  /** [batch, steps, features]: what an encoder made, for blocks with `crossAttention`. */
  encoderSequence?: Tensor | null;
}

const transformerTable = (): OptionTable<TransformerOptions, LayerOptions> => ({
  intermediateDim: integer(),
  numHeads: integer(),
  numKeyValueHeads: integer({ default: null }),
  headDim: integer({ default: null }),
  dropout: checked(requireFraction, 0),
  attentionDropout: checked(requireFraction, null),
  activation: oneOf(transformerActivations, 'relu'),
  gated: flag(false),
  normalization: oneOf(normalizationKinds, 'layer'),
  layerNormEpsilon: number({ min: 0, default: 1e-5 }),
  normalizeFirst: flag(false),
  normalizeOutputs: flag(false),
  fusedAttention: flag(false),
  attentionBias: oneOf(biasKinds, 'all'),
  attentionScale: number({ default: null }),
  feedForwardBias: flag(true),
  crossAttention: flag(false),
  rotary: { read: (given = null) => given as never },
  queryKeyNormalization: oneOf(normalizationKinds, null),
  slidingWindow: integer({ default: null }),
  ...initializers(),
});

/** The initial values of kernels and biases. */
function initializers() {
  const { kernelInitializer, biasInitializer } = weights({ kernel: 'glorotUniform', bias: 'zeros' });
  return { kernelInitializer, biasInitializer };
}

/** A layer with the fields that the tables of its subclasses define. */
const LayerWithFields = Layer as unknown as LayerClass<TransformerOptions, Layer>;

export abstract class TransformerBlock extends LayerWithFields {
  static override readonly callOptionNames: readonly string[] = [
    'training',
    'mask',
    'paddingMask',
    'cache',
    'encoderSequence',
  ];
  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
  attention: CachedMultiHeadAttention | null = null;
  /** To the sequence of an encoder, with `crossAttention`. */
  encoderAttention: CachedMultiHeadAttention | null = null;
  feedForward: FeedForward | null = null;
  /** Of the input of attention, or of its sum with the residual. */
  attentionNorm: Normalization | null = null;
  encoderAttentionNorm: Normalization | null = null;
  feedForwardNorm: Normalization | null = null;
  /** Of the output of attention, with `normalizeOutputs`. */
  attentionOutputNorm: Normalization | null = null;
  feedForwardOutputNorm: Normalization | null = null;
  dropoutLayer: Dropout | null = null;

  /** Whether a position sees no later ones. */
  protected abstract get isCausal(): boolean;

  override build(inputShape: OpenShape): void {
    const features = requireChannels(this.name, inputShape);
    const { initializer: kernelInitializer } = this.weightRules('kernel');
    const { initializer: biasInitializer } = this.weightRules('bias');
    const attention = {
      numHeads: this.numHeads,
      keyDim: this.headDim ?? Math.floor(features / this.numHeads),
      bias: this.attentionBias,
      dropout: this.attentionDropout ?? this.dropout,
      scale: this.attentionScale,
      kernelInitializer,
      dtype: this.dtypePolicy,
    };
    this.attention = new CachedMultiHeadAttention({
      name: 'self_attention',
      numKeyValueHeads: this.numKeyValueHeads,
      fused: this.fusedAttention,
      rotary: this.rotary,
      queryKeyNormalization: this.queryKeyNormalization,
      epsilon: this.layerNormEpsilon,
      slidingWindow: this.slidingWindow,
      ...attention,
    });
    if (this.crossAttention) {
      this.encoderAttention = new CachedMultiHeadAttention({ name: 'cross_attention', ...attention });
      this.encoderAttentionNorm = this.#norm('cross_attention_layer_norm');
    }
    this.feedForward = new FeedForward({
      name: 'feedforward',
      intermediateDim: this.intermediateDim,
      activation: this.activation,
      gated: this.gated,
      dropout: this.dropout,
      useBias: this.feedForwardBias,
      kernelInitializer,
      biasInitializer,
      dtype: this.dtypePolicy,
    });
    this.dropoutLayer = new Dropout({ name: 'dropout', rate: this.dropout });
    this.attentionNorm = this.#norm('self_attention_layer_norm');
    this.feedForwardNorm = this.#norm('feedforward_layer_norm');
    if (this.normalizeOutputs) {
      this.attentionOutputNorm = this.#norm('self_attention_output_norm');
      this.feedForwardOutputNorm = this.#norm('feedforward_output_norm');
    }
    for (const part of this.sublayers) part.ensureBuilt(inputShape);
  }

  #norm(name: string): Normalization {
    return normalizationOf(this.normalization, { name, epsilon: this.layerNormEpsilon });
  }

  override call(x: Tensor, options: TransformerCall): Tensor {
    const steps = this.#steps(options);
    if (!this.normalizeFirst)
      return steps.reduce((sum, { norm, run }) => addNormalized(norm, sum, run(sum))[0], x);
    let [sum, residual]: [Tensor, Tensor | null] = [x, null];
    for (const { norm, run, outputNorm } of steps) {
      const [normalized, total] = addNormalized(norm, sum, residual);
      const made = run(normalized);
      [sum, residual] = [total, outputNorm ? outputNorm.apply(made) : made];
    }
    return add(sum, residual as unknown as Tensor);
  }

  /** What is added to the input, one after the other. */
  #steps({ training, paddingMask = null, cache = null, encoderSequence = null }: TransformerCall): Step[] {
    const { attention, encoderAttention, feedForward, isCausal: useCausalMask } = this;
    const drop = (y: Tensor) => (this.dropoutLayer as Dropout).apply(y, { training });
    const attend = (y: Tensor) =>
      (attention as CachedMultiHeadAttention).apply(y, { training, paddingMask, useCausalMask, cache });
    const attended = encoderAttention && required(this.name, encoderSequence);
    const attendToEncoder = (y: Tensor) =>
      (encoderAttention as CachedMultiHeadAttention).apply(y, { training, attended, cache });
    const ofEncoder = { norm: this.encoderAttentionNorm, run: attendToEncoder, outputNorm: null };
    const steps = [
      { norm: this.attentionNorm, run: attend, outputNorm: this.attentionOutputNorm },
      ...(encoderAttention ? [ofEncoder] : []),
    ].map((step) => ({ ...step, run: (y: Tensor) => drop(step.run(y)) }));
    const feed = (y: Tensor) => (feedForward as FeedForward).apply(y, { training });
    const last = { norm: this.feedForwardNorm, run: feed, outputNorm: this.feedForwardOutputNorm };
    return [...steps, last] as Step[];
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }
}

/** A part of a block: what is computed of normalized inputs, and the normalization of that, if there is one. */
interface Step {
  readonly norm: Normalization;
  run(x: Tensor): Tensor;
  readonly outputNorm: Normalization | null;
}

function required(op: string, encoderSequence: Tensor | null): Tensor {
  if (encoderSequence) return encoderSequence;
  throw new ValueError({
    op,
    rule: 'a block with `crossAttention` is called with the sequence of an encoder.',
    received: 'no `encoderSequence`',
    hint: 'call block.apply(x, { encoderSequence }), or make the block without `crossAttention`.',
  });
}

export class TransformerEncoder extends /* @__PURE__ */ layer<TransformerOptions, TransformerBlock>(
  'TransformerEncoder',
  transformerTable,
  TransformerBlock,
) {
  protected override get isCausal(): boolean {
    return false;
  }
}

/**
 * A block of a transformer that reads sequences: self-attention in both directions, then a feed-forward layer, each with a residual
 * connection. Shapes: [batch, length, features] → the same. Weights: those of `cachedMultiHeadAttention` under self_attention, of
 * `feedForward` under feedforward, and of normalizations. Source: Vaswani et al., "Attention is all you need", 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs that don't fit.
 */
export const transformerEncoder = /* @__PURE__ */ factoryOf(TransformerEncoder);

export class TransformerDecoder extends /* @__PURE__ */ layer<TransformerOptions, TransformerBlock>(
  'TransformerDecoder',
  transformerTable,
  TransformerBlock,
) {
  protected override get isCausal(): boolean {
    return true;
  }
}

/**
 * A block of a transformer that continues sequences: causal self-attention, then a feed-forward layer, each with a residual
 * connection. Called with a `cache`, the tokens of a call follow those of the calls before. Shapes: [batch, length, features] →
 * the same. Weights: those of `cachedMultiHeadAttention` under self_attention, of `feedForward` under feedforward, and of
 * normalizations. Source: Vaswani et al., "Attention is all you need", 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs that don't fit.
 */
export const transformerDecoder = /* @__PURE__ */ factoryOf(TransformerDecoder);
