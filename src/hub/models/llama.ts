/**
 * @file Llama, and the models that differ from it by options alone: SmolLM, Mistral, Qwen2 and Qwen3. Touvron et al., "Llama 2: open
 * foundation and fine-tuned chat models", 2023.
 */
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
import { rmsNormalization } from '../../keras/layers/normalization/rmsNormalization.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activationName, type ConfigReader } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { each } from '../checkpoints/modules.ts';
import { maxPositions, readRotary, writeRotary } from '../checkpoints/rotaryConfig.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import { type TransformerDecoder, transformerDecoder } from '../layers/transformerBlock.ts';
import { TextBackbone, type TextRecord } from './textBackbone.ts';
import { decoderHeads } from './decoderHeads.ts';
import { registered } from './registered.ts';

/** transformers' names of the models that are computed like this. */
const modelTypes = ['llama', 'mistral', 'qwen2', 'qwen3'] as const;

/** Options of `LlamaBackbone`. */
export interface LlamaBackboneOptions extends LayerOptions {
  /** transformers' name of the model, by which it is saved. Default 'llama'. */
  modelType?: (typeof modelTypes)[number];
  /** The number of tokens. */
  vocabularySize: number;
  /** The number of blocks. */
  numLayers: number;
  /** The number of heads of queries. */
  numQueryHeads: number;
  /** The number of heads of keys and values. Default: `numQueryHeads`. */
  numKeyValueHeads?: number | null;
  /** The number of features of a position. */
  hiddenDim: number;
  /** The number of features of a feed-forward layer. */
  intermediateDim: number;
  /** The size of a head. Default: hiddenDim / numQueryHeads. */
  headDim?: number | null;
  /** The activation of the gate. Default 'silu'. */
  activation?: TransformerActivation;
  /** How queries and keys are turned by their positions. Default: with a longest wavelength of 10,000. */
  rotary?: RotaryOptions;
  /** Added to the mean of squares in normalizations. Default 1e-6. */
  layerNormEpsilon?: number;
  /** Fraction of the scores of attention that is cleared in training. Default 0. */
  attentionDropout?: number;
  /** Whether logits are products with the vectors of tokens. Default false. */
  tieWordEmbeddings?: boolean;
  /** Which projections of attention add a bias. Default 'none'. */
  attentionBias?: 'all' | 'queryKeyValue' | 'none';
  /** Whether the feed-forward layers add biases. Default false. */
  feedForwardBias?: boolean;
  /** Whether each head's queries and keys are normalized, as in Qwen3. Default false. */
  normalizeQueryKey?: boolean;
  /** A token sees only those that are fewer steps back than this. Default null: all. */
  slidingWindow?: number | null;
  /** The layers for which that holds. Default null: all. */
  slidingLayers?: readonly boolean[] | null;
  /** The length of the longest sequence that it was trained on, which is only passed on to other libraries. Default 2048. */
  maxSequenceLength?: number;
}

/**
 * Llama without a head. Shapes: token ids, int32 [batch, length] → [batch, length, hiddenDim].
 * Errors: ValueError for invalid options.
 */
export class LlamaBackbone extends /* @__PURE__ */ layer<LlamaBackboneOptions, TextBackbone>(
  'LlamaBackbone',
  () => ({
    modelType: oneOf(modelTypes, 'llama'),
    vocabularySize: integer(),
    numLayers: integer(),
    numQueryHeads: integer(),
    numKeyValueHeads: integer({ default: null }),
    hiddenDim: integer(),
    intermediateDim: integer(),
    headDim: integer({ default: null }),
    activation: { ...oneOf(transformerActivations, 'silu') } as never,
    rotary: { read: (given = {}) => given as RotaryOptions },
    layerNormEpsilon: number({ min: 0, default: 1e-6 }),
    attentionDropout: checked(requireFraction, 0),
    tieWordEmbeddings: flag(false),
    attentionBias: oneOf(['all', 'queryKeyValue', 'none'], 'none'),
    feedForwardBias: flag(false),
    normalizeQueryKey: flag(false),
    slidingWindow: integer({ default: null }),
    slidingLayers: { read: (given = null) => given as never },
    maxSequenceLength: integer({ default: 2048 }),
  }),
  TextBackbone,
) {
  readonly tokenEmbedding = reversibleEmbedding({
    name: 'token_embedding',
    inputDim: this.vocabularySize,
    outputDim: this.hiddenDim,
    tieWeights: this.tieWordEmbeddings,
  });

  readonly layerNorm = rmsNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });

  constructor(options: LlamaBackboneOptions) {
    super(options);
    this.buildLayers();
  }

  protected override block(name: string, i: number): TransformerDecoder {
    return transformerDecoder({
      name,
      numHeads: this.numQueryHeads,
      numKeyValueHeads: this.numKeyValueHeads,
      headDim: this.headDim,
      intermediateDim: this.intermediateDim,
      attentionDropout: this.attentionDropout,
      activation: this.activation,
      gated: true,
      normalization: 'rms',
      layerNormEpsilon: this.layerNormEpsilon,
      normalizeFirst: true,
      attentionBias: this.attentionBias,
      feedForwardBias: this.feedForwardBias,
      rotary: this.rotary,
      queryKeyNormalization: this.normalizeQueryKey ? 'rms' : null,
      slidingWindow: (this.slidingLayers?.[i] ?? true) ? this.slidingWindow : null,
    });
  }

  protected override embed({ tokenIds }: TextRecord): Tensor {
    return this.tokenEmbedding.apply(tokenIds);
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(LlamaBackbone);

type LlamaFamily = Family<LlamaBackbone, LlamaBackboneOptions>;

/** What distinguishes the models: the defaults of their configurations, and fields of their own. */
interface Variant {
  /** The beginning of transformers' names of the classes. */
  readonly name: string;
  readonly read: (config: ConfigReader, numLayers: number) => Partial<LlamaBackboneOptions>;
  readonly write: (net: LlamaBackbone) => JsonObject;
}

const windowOf = ({ slidingWindow, slidingLayers }: LlamaBackbone): JsonObject => ({
  sliding_window: slidingWindow,
  ...(slidingLayers && {
    layer_types: slidingLayers.map((isSliding) => `${isSliding ? 'sliding' : 'full'}_attention`),
  }),
});

/** Far more than there are in any network. */
const maxLayers = 2 ** 16;

const qwenWindow = (config: ConfigReader, numLayers: number) => {
  const isUsed = config.boolean('use_sliding_window', false);
  const { slidingWindow, slidingLayers } = config.slidingWindow(numLayers, isUsed);
  // Configurations without a list of layers have full attention in the first ones.
  const first = config.count('max_window_layers', 28);
  if (numLayers > maxLayers) config.refuse('num_hidden_layers', `is at most ${maxLayers}`);
  const inOrder = Array.from({ length: Math.min(numLayers, maxLayers) }, (_, i) => i >= first);
  return { slidingWindow, slidingLayers: slidingWindow === null ? null : (slidingLayers ?? inOrder) };
};

const variants: Readonly<Record<(typeof modelTypes)[number], Variant>> = {
  llama: {
    name: 'Llama',
    read: (config) => ({
      attentionBias: config.boolean('attention_bias', false) ? 'all' : 'none',
      feedForwardBias: config.boolean('mlp_bias', false),
    }),
    write: ({ attentionBias, feedForwardBias }) => ({
      attention_bias: attentionBias === 'all',
      mlp_bias: feedForwardBias,
    }),
  },
  mistral: {
    name: 'Mistral',
    read: (config, numLayers) => config.slidingWindow(numLayers),
    write: windowOf,
  },
  qwen2: {
    name: 'Qwen2',
    read: (config, numLayers) => ({ attentionBias: 'queryKeyValue', ...qwenWindow(config, numLayers) }),
    write: (net) => ({ use_sliding_window: net.slidingWindow !== null, ...windowOf(net) }),
  },
  qwen3: {
    name: 'Qwen3',
    read: (config, numLayers) => ({
      normalizeQueryKey: true,
      headDim: config.integer('head_dim', 128),
      attentionBias: config.boolean('attention_bias', false) ? 'all' : 'none',
      ...qwenWindow(config, numLayers),
    }),
    write: (net) => ({
      attention_bias: net.attentionBias === 'all',
      use_sliding_window: net.slidingWindow !== null,
      ...windowOf(net),
    }),
  },
};

/** The checkpoints of Llama and of models like it. */
export const llamaFamilies: Readonly<Record<string, LlamaFamily>> = Object.fromEntries(
  modelTypes.map((modelType) => [modelType, familyOf(modelType, variants[modelType])]),
);

function familyOf(modelType: (typeof modelTypes)[number], { name, read, write }: Variant): LlamaFamily {
  return {
    modelType,
    architecture: `${name}Model`,
    prefix: 'model',
    create: (options) => new LlamaBackbone(options),
    read: (config, task) => {
      const numLayers = config.integer('num_hidden_layers');
      return {
        modelType,
        vocabularySize: config.integer('vocab_size'),
        numLayers,
        numQueryHeads: config.integer('num_attention_heads'),
        numKeyValueHeads: config.integer('num_key_value_heads', null),
        hiddenDim: config.integer('hidden_size'),
        intermediateDim: config.integer('intermediate_size'),
        headDim: config.integer('head_dim', null),
        activation: config.activation('hidden_act', 'silu'),
        rotary: readRotary(config, 10_000),
        layerNormEpsilon: config.number('rms_norm_eps', 1e-6),
        attentionDropout: config.number('attention_dropout', 0),
        // Only logits need a matrix of their own.
        tieWordEmbeddings: config.boolean('tie_word_embeddings', false) || task !== 'causalLM',
        maxSequenceLength: config.integer('max_position_embeddings', 2048),
        ...read(config, numLayers),
      };
    },
    write: (net) => ({
      vocab_size: net.vocabularySize,
      num_hidden_layers: net.numLayers,
      num_attention_heads: net.numQueryHeads,
      num_key_value_heads: net.numKeyValueHeads ?? net.numQueryHeads,
      hidden_size: net.hiddenDim,
      intermediate_size: net.intermediateDim,
      head_dim: net.headDim ?? net.hiddenDim / net.numQueryHeads,
      hidden_act: activationName(net.activation),
      rope_parameters: writeRotary(net.rotary),
      rms_norm_eps: net.layerNormEpsilon,
      attention_dropout: net.attentionDropout,
      tie_word_embeddings: net.tieWordEmbeddings,
      max_position_embeddings: maxPositions(net.rotary, net.maxSequenceLength),
      ...write(net),
    }),
    modules: (net) => ({
      embed_tokens: net.tokenEmbedding,
      ...each(
        'layers',
        net.transformerLayers,
        ({ attention, attentionNorm, feedForward, feedForwardNorm }) => ({
          input_layernorm: attentionNorm,
          'self_attn.q_proj': attention?.queryDense ?? null,
          'self_attn.k_proj': attention?.keyDense ?? null,
          'self_attn.v_proj': attention?.valueDense ?? null,
          'self_attn.o_proj': attention?.outputDense ?? null,
          'self_attn.q_norm': attention?.queryNorm ?? null,
          'self_attn.k_norm': attention?.keyNorm ?? null,
          post_attention_layernorm: feedForwardNorm,
          'mlp.gate_proj': feedForward?.gateDense ?? null,
          'mlp.up_proj': feedForward?.intermediateDense ?? null,
          'mlp.down_proj': feedForward?.outputDense ?? null,
        }),
      ),
      norm: net.layerNorm,
    }),
    // The module that was once called so.
    heads: decoderHeads(name, modelType === 'mistral' ? 'model' : 'transformer'),
  };
}
