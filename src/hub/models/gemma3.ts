/** @file Gemma 3, the part that reads texts: Gemma Team, "Gemma 3 technical report", 2025. */
import {
  checked,
  flag,
  integer,
  layer,
  type LayerOptions,
  number,
  oneOf,
} from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { reversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activationName } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { each } from '../checkpoints/modules.ts';
import { maxPositions, readRotary, writeRotary } from '../checkpoints/rotaryConfig.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import { offsetRMSNormalization } from '../layers/normalization.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import { type TransformerBlock, transformerDecoder, transformerEncoder } from '../layers/transformerBlock.ts';
import { TextBackbone, type TextRecord } from './textBackbone.ts';
import { causalLM, lastTokenClassifier, tokenClassifier } from './decoderHeads.ts';
import { registered } from './registered.ts';

/** Options of `Gemma3Backbone`. */
export interface Gemma3BackboneOptions extends LayerOptions {
  /** The number of tokens. */
  vocabularySize: number;
  /** The number of blocks. */
  numLayers: number;
  /** The number of heads of queries. */
  numQueryHeads: number;
  /** The number of heads of keys and values. */
  numKeyValueHeads: number;
  /** The number of features of a position. */
  hiddenDim: number;
  /** The number of features of a feed-forward layer. */
  intermediateDim: number;
  /** The size of a head. Default 256. */
  headDim?: number;
  /** The activation of the gate. Default 'geluTanh'. */
  activation?: TransformerActivation;
  /** Products of queries and keys are divided by its square root. Default 256. */
  queryScalar?: number;
  /** How queries and keys are turned in layers that see all tokens. Default: with a longest wavelength of 1,000,000. */
  globalRotary?: RotaryOptions;
  /** How they are turned in layers that see a window. Default: with one of 10,000. */
  localRotary?: RotaryOptions;
  /** Whether tokens see later ones, too, as in networks that embed texts, which then can't be continued. Default false. */
  useBidirectionalAttention?: boolean;
  /** In local layers, a token sees only those that are fewer steps away than this. Default 512. */
  slidingWindow?: number;
  /** The layers that see a window. Default null: five of six. */
  slidingLayers?: readonly boolean[] | null;
  /** Added to the mean of squares in normalizations. Default 1e-6. */
  layerNormEpsilon?: number;
  /** Fraction of the scores of attention that is cleared in training. Default 0. */
  attentionDropout?: number;
  /** Logits become cap · tanh(logits / cap). Default null: they don't. */
  logitSoftCap?: number | null;
  /** Whether attention adds biases. Default false. */
  attentionBias?: boolean;
  /** The length of the longest sequence that it was trained on, which is only passed on to other libraries. Default 131,072. */
  maxSequenceLength?: number;
}

/**
 * The text model of Gemma 3 without a head. Shapes: token ids, int32 [batch, length] → [batch, length, hiddenDim].
 * Errors: ValueError for invalid options.
 */
export class Gemma3Backbone extends /* @__PURE__ */ layer<Gemma3BackboneOptions, TextBackbone>(
  'Gemma3Backbone',
  () => ({
    vocabularySize: integer(),
    numLayers: integer(),
    numQueryHeads: integer(),
    numKeyValueHeads: integer(),
    hiddenDim: integer(),
    intermediateDim: integer(),
    headDim: integer({ default: 256 }),
    activation: { ...oneOf(transformerActivations, 'geluTanh') } as never,
    queryScalar: number({ min: Number.MIN_VALUE, default: 256 }),
    globalRotary: { read: (given = { maxWavelength: 1_000_000 }) => given as RotaryOptions },
    localRotary: { read: (given = {}) => given as RotaryOptions },
    useBidirectionalAttention: flag(false),
    slidingWindow: integer({ default: 512 }),
    slidingLayers: { read: (given = null) => given as never },
    layerNormEpsilon: number({ min: 0, default: 1e-6 }),
    attentionDropout: checked(requireFraction, 0),
    logitSoftCap: number({ min: Number.MIN_VALUE, default: null }),
    attentionBias: flag(false),
    maxSequenceLength: integer({ default: 131_072 }),
  }),
  TextBackbone,
) {
  readonly modelType = 'gemma3_text';

  readonly tokenEmbedding = reversibleEmbedding({
    name: 'token_embedding',
    inputDim: this.vocabularySize,
    outputDim: this.hiddenDim,
    logitSoftCap: this.logitSoftCap,
  });

  readonly layerNorm = offsetRMSNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });

  constructor(options: Gemma3BackboneOptions) {
    super(options);
    this.buildLayers();
  }

  /** Whether a layer sees a window only. */
  isLocal(index: number): boolean {
    return this.slidingLayers?.[index] ?? (index + 1) % 6 !== 0;
  }

  protected override block(name: string, i: number): TransformerBlock {
    return (this.useBidirectionalAttention ? transformerEncoder : transformerDecoder)({
      name,
      numHeads: this.numQueryHeads,
      numKeyValueHeads: this.numKeyValueHeads,
      headDim: this.headDim,
      intermediateDim: this.intermediateDim,
      attentionDropout: this.attentionDropout,
      activation: this.activation,
      gated: true,
      normalization: 'offsetRms',
      layerNormEpsilon: this.layerNormEpsilon,
      normalizeFirst: true,
      normalizeOutputs: true,
      attentionBias: this.attentionBias ? 'all' : 'none',
      attentionScale: this.queryScalar ** -0.5,
      feedForwardBias: false,
      queryKeyNormalization: 'offsetRms',
      rotary: this.isLocal(i) ? this.localRotary : this.globalRotary,
      slidingWindow: this.isLocal(i) ? this.slidingWindow : null,
    });
  }

  protected override embed({ tokenIds }: TextRecord): Tensor {
    return mul(this.tokenEmbedding.apply(tokenIds), Math.sqrt(this.hiddenDim));
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(Gemma3Backbone);

/** The checkpoints of Gemma 3's text models. */
export const gemma3: Family<Gemma3Backbone, Gemma3BackboneOptions> = {
  modelType: 'gemma3_text',
  architecture: 'Gemma3TextModel',
  prefix: 'model',
  create: (options) => new Gemma3Backbone(options),
  read: (config, task) => {
    config.requireTiedEmbeddings(task);
    config.requireValue('attn_logit_softcapping');
    const useBidirectionalAttention = config.boolean('use_bidirectional_attention', false);
    // Older configurations say which layers are local by a period, and how they turn by a field of its own.
    const numLayers = config.integer('num_hidden_layers', 26);
    const period = config.integer('sliding_window_pattern', config.integer('_sliding_window_pattern', 6));
    const local = config.number('rope_local_base_freq', null);
    const { slidingWindow, slidingLayers } = config.slidingWindow(numLayers);
    const window = slidingWindow ?? 4096;
    return {
      vocabularySize: config.integer('vocab_size', 262_208),
      numLayers,
      numQueryHeads: config.integer('num_attention_heads', 8),
      numKeyValueHeads: config.integer('num_key_value_heads', 4),
      hiddenDim: config.integer('hidden_size', 2304),
      intermediateDim: config.integer('intermediate_size', 9216),
      headDim: config.integer('head_dim', 256),
      activation: config.activation('hidden_activation', 'gelu_pytorch_tanh'),
      queryScalar: config.number('query_pre_attn_scalar', 256),
      globalRotary: readRotary(config, 1_000_000, 'full_attention'),
      localRotary:
        local === null ? readRotary(config, 10_000, 'sliding_attention') : { maxWavelength: local },
      useBidirectionalAttention,
      // Both directions share it.
      slidingWindow: useBidirectionalAttention ? Math.floor(window / 2) + 1 : window,
      slidingLayers: slidingLayers ?? Array.from({ length: numLayers }, (_, i) => (i + 1) % period !== 0),
      layerNormEpsilon: config.number('rms_norm_eps', 1e-6),
      attentionDropout: config.number('attention_dropout', 0),
      logitSoftCap: config.number('final_logit_softcapping', null),
      attentionBias: config.boolean('attention_bias', false),
      maxSequenceLength: config.integer('max_position_embeddings', 131_072),
    };
  },
  write: (net) => ({
    vocab_size: net.vocabularySize,
    num_hidden_layers: net.numLayers,
    num_attention_heads: net.numQueryHeads,
    num_key_value_heads: net.numKeyValueHeads,
    hidden_size: net.hiddenDim,
    intermediate_size: net.intermediateDim,
    head_dim: net.headDim,
    hidden_activation: activationName(net.activation),
    query_pre_attn_scalar: net.queryScalar,
    rope_parameters: {
      full_attention: writeRotary({ maxWavelength: 1_000_000, ...net.globalRotary }),
      sliding_attention: writeRotary(net.localRotary),
    },
    use_bidirectional_attention: net.useBidirectionalAttention,
    sliding_window: net.useBidirectionalAttention ? 2 * (net.slidingWindow - 1) : net.slidingWindow,
    layer_types: net.transformerLayers.map((_, i) => `${net.isLocal(i) ? 'sliding' : 'full'}_attention`),
    rms_norm_eps: net.layerNormEpsilon,
    attention_dropout: net.attentionDropout,
    final_logit_softcapping: net.logitSoftCap,
    attention_bias: net.attentionBias,
    max_position_embeddings: maxPositions(net.globalRotary, net.maxSequenceLength),
    tie_word_embeddings: true,
  }),
  modules: (net) => ({
    embed_tokens: net.tokenEmbedding,
    ...each('layers', net.transformerLayers, (block) => ({
      input_layernorm: block.attentionNorm,
      'self_attn.q_proj': block.attention?.queryDense ?? null,
      'self_attn.k_proj': block.attention?.keyDense ?? null,
      'self_attn.v_proj': block.attention?.valueDense ?? null,
      'self_attn.o_proj': block.attention?.outputDense ?? null,
      'self_attn.q_norm': block.attention?.queryNorm ?? null,
      'self_attn.k_norm': block.attention?.keyNorm ?? null,
      post_attention_layernorm: block.attentionOutputNorm,
      pre_feedforward_layernorm: block.feedForwardNorm,
      'mlp.gate_proj': block.feedForward?.gateDense ?? null,
      'mlp.up_proj': block.feedForward?.intermediateDense ?? null,
      'mlp.down_proj': block.feedForward?.outputDense ?? null,
      post_feedforward_layernorm: block.feedForwardOutputNorm,
    })),
    norm: net.layerNorm,
  }),
  heads: {
    causalLM: causalLM('Gemma3ForCausalLM'),
    sequenceClassifier: {
      ...lastTokenClassifier('Gemma3TextForSequenceClassification'),
      aliases: ['Gemma3ForSequenceClassification'],
    },
    tokenClassifier: tokenClassifier('Gemma3ForTokenClassification', 'score'),
  },
};
