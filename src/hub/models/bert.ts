/** @file BERT: Devlin et al., "BERT: pre-training of deep bidirectional transformers for language understanding", 2018. */
import {
  checked,
  integer,
  layer,
  type LayerOptions,
  number,
  oneOf,
} from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { Embedding } from '../../keras/layers/core/embedding.ts';
import { reversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { layerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import { dropout } from '../../keras/layers/regularization/dropout.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { zerosLike } from '../../ops/creation/like.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activationName } from '../checkpoints/configReader.ts';
import type { Family, HeadSettings } from '../checkpoints/family.ts';
import { each } from '../checkpoints/modules.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import { positionEmbedding } from '../layers/positionEmbedding.ts';
import { type TransformerEncoder, transformerEncoder } from '../layers/transformerBlock.ts';
import { TextBackbone, type TextRecord } from './textBackbone.ts';
import { questionAnswerer, tokenClassifier } from './decoderHeads.ts';
import { MaskedLM } from './maskedLM.ts';
import { registered } from './registered.ts';
import { SequenceClassifier } from './classifiers.ts';

/** Options of `BertBackbone`. */
export interface BertBackboneOptions extends LayerOptions {
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
  /** The activation of the feed-forward layers. Default 'gelu'. */
  activation?: TransformerActivation;
  /** Fraction of outputs that is cleared in training. Default 0.1. */
  dropout?: number;
  /** Fraction of the scores of attention that is cleared in training. Default 0.1. */
  attentionDropout?: number;
  /** Added to the variance in normalizations. Default 1e-12. */
  layerNormEpsilon?: number;
  /** The length of the longest sequence. Default 512. */
  maxSequenceLength?: number;
  /** The number of texts that one sequence may hold; 0 where they aren't distinguished, as in DistilBERT. Default 2. */
  numSegments?: number;
}

/**
 * BERT without a head, or DistilBERT, which has no segments. Shapes: token ids, int32 [batch, length] → [batch, length, hiddenDim]. With
 * segments, `segmentIds` say which text each token belongs to.
 * Errors: ValueError for invalid options; ShapeError for a sequence that is too long.
 */
export class BertBackbone extends /* @__PURE__ */ layer<BertBackboneOptions, TextBackbone>(
  'BertBackbone',
  () => ({
    vocabularySize: integer(),
    numLayers: integer(),
    numHeads: integer(),
    hiddenDim: integer(),
    intermediateDim: integer(),
    activation: { ...oneOf(transformerActivations, 'gelu') } as never,
    dropout: checked(requireFraction, 0.1),
    attentionDropout: checked(requireFraction, 0.1),
    layerNormEpsilon: number({ min: 0, default: 1e-12 }),
    maxSequenceLength: integer({ default: 512 }),
    numSegments: integer({ min: 0, default: 2 }),
  }),
  TextBackbone,
) {
  readonly tokenEmbedding = reversibleEmbedding({
    name: 'token_embedding',
    inputDim: this.vocabularySize,
    outputDim: this.hiddenDim,
  });

  readonly positionEmbedding = positionEmbedding({
    name: 'position_embedding',
    sequenceLength: this.maxSequenceLength,
  });

  readonly segmentEmbedding =
    this.numSegments > 0
      ? new Embedding({ name: 'segment_embedding', inputDim: this.numSegments, outputDim: this.hiddenDim })
      : null;

  readonly embeddingsLayerNorm = layerNormalization({
    name: 'embeddings_layer_norm',
    epsilon: this.layerNormEpsilon,
  });

  readonly embeddingsDropout = dropout({ name: 'embeddings_dropout', rate: this.dropout });

  constructor(options: BertBackboneOptions) {
    super(options);
    this.buildLayers();
  }

  get modelType(): string {
    return this.segmentEmbedding ? 'bert' : 'distilbert';
  }

  protected override block(name: string): TransformerEncoder {
    return transformerEncoder({
      name,
      numHeads: this.numHeads,
      intermediateDim: this.intermediateDim,
      dropout: this.dropout,
      attentionDropout: this.attentionDropout,
      activation: this.activation,
      layerNormEpsilon: this.layerNormEpsilon,
    });
  }

  protected override embed({ tokenIds, segmentIds }: TextRecord): Tensor {
    const tokens = this.tokenEmbedding.apply(tokenIds);
    const placed = add(tokens, this.positionEmbedding.apply(tokens));
    const segments = this.segmentEmbedding?.apply(segmentIds ?? zerosLike(tokenIds));
    const sum = segments ? add(placed, segments) : placed;
    return this.embeddingsDropout.apply(this.embeddingsLayerNorm.apply(sum));
  }
}

registered(BertBackbone);

const classifierDropout = (backbone: BertBackbone, { dropout }: HeadSettings) => dropout ?? backbone.dropout;

/** BERT's checkpoints, those of MiniLM among them. */
export const bert: Family<BertBackbone, BertBackboneOptions> = {
  modelType: 'bert',
  architecture: 'BertModel',
  prefix: 'bert',
  create: (options) => new BertBackbone(options),
  read: (config, task) => {
    config.requireValue('position_embedding_type', 'absolute');
    config.requireTiedEmbeddings(task);
    return {
      vocabularySize: config.integer('vocab_size', 30_522),
      numLayers: config.integer('num_hidden_layers', 12),
      numHeads: config.integer('num_attention_heads', 12),
      hiddenDim: config.integer('hidden_size', 768),
      intermediateDim: config.integer('intermediate_size', 3072),
      activation: config.activation('hidden_act', 'gelu'),
      dropout: config.number('hidden_dropout_prob', 0.1),
      attentionDropout: config.number('attention_probs_dropout_prob', 0.1),
      layerNormEpsilon: config.number('layer_norm_eps', 1e-12),
      maxSequenceLength: config.integer('max_position_embeddings', 512),
      numSegments: config.integer('type_vocab_size', 2),
    };
  },
  write: (net) => ({
    vocab_size: net.vocabularySize,
    num_hidden_layers: net.numLayers,
    num_attention_heads: net.numHeads,
    hidden_size: net.hiddenDim,
    intermediate_size: net.intermediateDim,
    hidden_act: activationName(net.activation),
    hidden_dropout_prob: net.dropout,
    attention_probs_dropout_prob: net.attentionDropout,
    layer_norm_eps: net.layerNormEpsilon,
    max_position_embeddings: net.maxSequenceLength,
    type_vocab_size: net.numSegments,
  }),
  modules: (net) => ({
    'embeddings.word_embeddings': net.tokenEmbedding,
    'embeddings.position_embeddings': net.positionEmbedding,
    'embeddings.token_type_embeddings': net.segmentEmbedding,
    'embeddings.LayerNorm': net.embeddingsLayerNorm,
    ...each(
      'encoder.layer',
      net.transformerLayers,
      ({ attention, attentionNorm, feedForward, feedForwardNorm }) => ({
        'attention.self.query': attention?.queryDense ?? null,
        'attention.self.key': attention?.keyDense ?? null,
        'attention.self.value': attention?.valueDense ?? null,
        'attention.output.dense': attention?.outputDense ?? null,
        'attention.output.LayerNorm': attentionNorm,
        'intermediate.dense': feedForward?.intermediateDense ?? null,
        'output.dense': feedForward?.outputDense ?? null,
        'output.LayerNorm': feedForwardNorm,
      }),
    ),
  }),
  heads: {
    maskedLM: {
      architecture: 'BertForMaskedLM',
      reverse: 'cls.predictions.decoder',
      create: (backbone) => {
        const { activation, layerNormEpsilon } = backbone;
        return new MaskedLM({ backbone, activation, layerNormEpsilon });
      },
      modules: ({ intermediateDense, layerNorm, outputBias }) => ({
        'cls.predictions.transform.dense': intermediateDense,
        'cls.predictions.transform.LayerNorm': layerNorm,
        'cls.predictions': outputBias,
      }),
    },
    sequenceClassifier: {
      architecture: 'BertForSequenceClassification',
      create: (backbone, settings) => {
        const { numClasses, labels } = settings;
        const dropout = classifierDropout(backbone, settings);
        return new SequenceClassifier({ backbone, numClasses, labels, pooledActivation: 'tanh', dropout });
      },
      modules: ({ pooledDense, outputDense }) => ({
        'bert.pooler.dense': pooledDense,
        classifier: outputDense,
      }),
    },
    tokenClassifier: tokenClassifier('BertForTokenClassification', 'classifier', classifierDropout),
    questionAnswerer: questionAnswerer('BertForQuestionAnswering'),
  },
  // The pooler of a model without a head for whole texts, and the copy of the bias of logits.
  leftOut: /(^|\.)pooler\.dense\.(weight|bias)$|^cls\.predictions\.decoder\.bias$/,
};
