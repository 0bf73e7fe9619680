/** @file GPT-2: Radford et al., "Language models are unsupervised multitask learners", 2019. */
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
import type { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { layerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import { dropout } from '../../keras/layers/regularization/dropout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activationName } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { conv1d, each } from '../checkpoints/modules.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import { tokenAndPositionEmbedding } from '../layers/tokenAndPositionEmbedding.ts';
import { type TransformerDecoder, transformerDecoder } from '../layers/transformerBlock.ts';
import { TextBackbone, type TextRecord } from './textBackbone.ts';
import { causalLM, lastTokenClassifier, questionAnswerer, tokenClassifier } from './decoderHeads.ts';
import { registered } from './registered.ts';

/** Options of `GPT2Backbone`. */
export interface GPT2BackboneOptions extends LayerOptions {
  /** The number of tokens. */
  vocabularySize: number;
  /** The number of blocks. */
  numLayers: number;
  /** The number of heads of attention. */
  numHeads: number;
  /** The number of features of a position. */
  hiddenDim: number;
  /** The number of features of a feed-forward layer. */
  intermediateDim: number;
  /** The activation of feed-forward layers. Default 'geluTanh'. */
  activation?: TransformerActivation;
  /** Fraction of outputs that is cleared in training. Default 0.1. */
  dropout?: number;
  /** Fraction of the scores of attention that is cleared in training. Default 0.1. */
  attentionDropout?: number;
  /** Fraction of the embeddings that is cleared in training. Default 0.1. */
  embeddingDropout?: number;
  /** Whether products of queries and keys are divided by the square root of the size of a head. Default true. */
  scaleAttention?: boolean;
  /** Whether they are also divided by the number of the block, from 1. Default false. */
  scaleAttentionByLayer?: boolean;
  /** Added to the variance in normalizations. Default 1e-5. */
  layerNormEpsilon?: number;
  /** The length of the longest sequence. Default 1024. */
  maxSequenceLength?: number;
}

/**
 * GPT-2 without a head. Shapes: token ids, int32 [batch, length] → [batch, length, hiddenDim].
 * Errors: ValueError for invalid options; ShapeError for a sequence that is too long.
 */
export class GPT2Backbone extends /* @__PURE__ */ layer<GPT2BackboneOptions, TextBackbone>(
  'GPT2Backbone',
  () => ({
    vocabularySize: integer(),
    numLayers: integer(),
    numHeads: integer(),
    hiddenDim: integer(),
    intermediateDim: integer(),
    activation: { ...oneOf(transformerActivations, 'geluTanh') } as never,
    dropout: checked(requireFraction, 0.1),
    attentionDropout: checked(requireFraction, 0.1),
    embeddingDropout: checked(requireFraction, 0.1),
    scaleAttention: flag(true),
    scaleAttentionByLayer: flag(false),
    layerNormEpsilon: number({ min: 0, default: 1e-5 }),
    maxSequenceLength: integer({ default: 1024 }),
  }),
  TextBackbone,
) {
  readonly embeddings = tokenAndPositionEmbedding({
    name: 'embeddings',
    vocabularySize: this.vocabularySize,
    sequenceLength: this.maxSequenceLength,
    embeddingDim: this.hiddenDim,
  });

  readonly embeddingsDropout = dropout({ name: 'embeddings_dropout', rate: this.embeddingDropout });

  readonly layerNorm = layerNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });

  constructor(options: GPT2BackboneOptions) {
    super(options);
    this.buildLayers();
  }

  get modelType(): string {
    return 'gpt2';
  }

  get tokenEmbedding(): ReversibleEmbedding {
    return this.embeddings.tokenEmbedding;
  }

  protected override block(name: string, index: number): TransformerDecoder {
    const size = this.scaleAttention ? Math.sqrt(this.hiddenDim / this.numHeads) : 1;
    return transformerDecoder({
      name,
      numHeads: this.numHeads,
      intermediateDim: this.intermediateDim,
      dropout: this.dropout,
      attentionDropout: this.attentionDropout,
      activation: this.activation,
      layerNormEpsilon: this.layerNormEpsilon,
      normalizeFirst: true,
      fusedAttention: true,
      attentionScale: 1 / (size * (this.scaleAttentionByLayer ? index + 1 : 1)),
    });
  }

  protected override embed({ tokenIds }: TextRecord, positions: Tensor | null): Tensor {
    return this.embeddingsDropout.apply(this.embeddings.apply(tokenIds, { positions }));
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(GPT2Backbone);

/** GPT-2's checkpoints. */
export const gpt2: Family<GPT2Backbone, GPT2BackboneOptions> = {
  modelType: 'gpt2',
  architecture: 'GPT2Model',
  prefix: 'transformer',
  create: (options) => new GPT2Backbone(options),
  read: (config, task) => {
    config.requireTiedEmbeddings(task);
    // Changes the order of operations in float16 only.
    config.leave('reorder_and_upcast_attn', 'n_ctx');
    const hiddenDim = config.integer('n_embd', 768);
    return {
      vocabularySize: config.integer('vocab_size', 50_257),
      numLayers: config.integer('n_layer', 12),
      numHeads: config.integer('n_head', 12),
      hiddenDim,
      intermediateDim: config.integer('n_inner', 4 * hiddenDim),
      activation: config.activation('activation_function', 'gelu_new'),
      dropout: config.number('resid_pdrop', 0.1),
      attentionDropout: config.number('attn_pdrop', 0.1),
      embeddingDropout: config.number('embd_pdrop', 0.1),
      scaleAttention: config.boolean('scale_attn_weights', true),
      scaleAttentionByLayer: config.boolean('scale_attn_by_inverse_layer_idx', false),
      layerNormEpsilon: config.number('layer_norm_epsilon', 1e-5),
      maxSequenceLength: config.integer('n_positions', 1024),
    };
  },
  write: (net) => ({
    activation_function: net.activation === 'geluTanh' ? 'gelu_new' : activationName(net.activation),
    vocab_size: net.vocabularySize,
    n_layer: net.numLayers,
    n_head: net.numHeads,
    n_embd: net.hiddenDim,
    n_inner: net.intermediateDim,
    resid_pdrop: net.dropout,
    attn_pdrop: net.attentionDropout,
    embd_pdrop: net.embeddingDropout,
    scale_attn_weights: net.scaleAttention,
    scale_attn_by_inverse_layer_idx: net.scaleAttentionByLayer,
    layer_norm_epsilon: net.layerNormEpsilon,
    n_positions: net.maxSequenceLength,
    tie_word_embeddings: true,
  }),
  modules: (net) => ({
    wte: net.embeddings.tokenEmbedding,
    wpe: net.embeddings.positionEmbedding,
    ...each('h', net.transformerLayers, ({ attention, attentionNorm, feedForward, feedForwardNorm }) => ({
      ln_1: attentionNorm,
      'attn.c_attn': conv1d(attention?.queryKeyValueDense),
      'attn.c_proj': conv1d(attention?.outputDense),
      ln_2: feedForwardNorm,
      'mlp.c_fc': conv1d(feedForward?.intermediateDense),
      'mlp.c_proj': conv1d(feedForward?.outputDense),
    })),
    ln_f: net.layerNorm,
  }),
  heads: {
    causalLM: causalLM('GPT2LMHeadModel'),
    sequenceClassifier: lastTokenClassifier('GPT2ForSequenceClassification'),
    tokenClassifier: tokenClassifier('GPT2ForTokenClassification', 'classifier'),
    questionAnswerer: questionAnswerer('GPT2ForQuestionAnswering'),
  },
  // Masks that older versions saved.
  leftOut: /\.attn\.(masked_)?bias$/,
};
