/** @file KerasHub's presets of BERT and DistilBERT. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import type { BertBackbone, BertBackboneOptions } from '../models/bert.ts';
import { MaskedLM } from '../models/maskedLM.ts';
import { blockAt } from './kerasBlocks.ts';
import type { Preset, PresetHead } from './preset.ts';
import { numbered, variableAt, weightsAt } from './presetWeights.ts';

function options(config: ConfigReader): BertBackboneOptions {
  return {
    vocabularySize: config.integer('vocabulary_size'),
    numLayers: config.integer('num_layers'),
    numHeads: config.integer('num_heads'),
    hiddenDim: config.integer('hidden_dim'),
    intermediateDim: config.integer('intermediate_dim'),
    dropout: config.number('dropout', 0.1),
    attentionDropout: config.number('dropout', 0.1),
    maxSequenceLength: config.integer('max_sequence_length', 512),
  };
}

const maskedLM = (className: string): PresetHead<BertBackbone, MaskedLM> => ({
  classNames: [className],
  // Its activation is that of KerasHub's head, whatever that of the blocks is.
  create: (backbone) => new MaskedLM({ backbone, activation: 'gelu' }),
  weights: ({ intermediateDense, layerNorm, outputBias }) => [
    ...weightsAt('layers/masked_lm_head/_intermediate_dense', intermediateDense),
    ...weightsAt('layers/masked_lm_head/_intermediate_layer_norm', layerNorm),
    ...variableAt('layers/masked_lm_head/0', outputBias.bias),
  ],
});

export const bertPreset: Preset<BertBackbone, BertBackboneOptions> = {
  className: 'BertBackbone',
  modelType: 'bert',
  read: (config) => ({
    ...options(config),
    activation: 'geluTanh',
    numSegments: config.integer('num_segments', 2),
  }),
  weights: (net, model) => [
    ...weightsAt('layers/reversible_embedding', net.tokenEmbedding),
    ...weightsAt('layers/position_embedding', net.positionEmbedding),
    ...weightsAt('layers/embedding', net.segmentEmbedding),
    ...weightsAt('layers/layer_normalization', net.embeddingsLayerNorm),
    ...numbered('layers/transformer_encoder', net.transformerLayers, blockAt),
    // The pooler is a part of KerasHub's backbone, and here of the classifier.
    ...weightsAt('layers/dense', 'pooledDense' in model ? model.pooledDense : null),
  ],
  heads: {
    maskedLM: maskedLM('BertMaskedLM'),
    sequenceClassifier: {
      classNames: ['BertTextClassifier', 'BertClassifier'],
      weights: ({ outputDense }) => weightsAt('layers/dense', outputDense),
    },
  },
  leftOut: /^layers\/dense\/[01]$/,
};

export const distilBertPreset: Preset<BertBackbone, BertBackboneOptions> = {
  className: 'DistilBertBackbone',
  modelType: 'distilbert',
  read: (config) => ({ ...options(config), numSegments: 0 }),
  weights: (net) => [
    ...weightsAt('layers/token_and_position_embedding/token_embedding', net.tokenEmbedding),
    ...weightsAt('layers/token_and_position_embedding/position_embedding', net.positionEmbedding),
    ...weightsAt('layers/layer_normalization', net.embeddingsLayerNorm),
    ...numbered('layers/transformer_encoder', net.transformerLayers, blockAt),
  ],
  heads: {
    maskedLM: maskedLM('DistilBertMaskedLM'),
    sequenceClassifier: {
      classNames: ['DistilBertTextClassifier', 'DistilBertClassifier'],
      read: (config) => {
        // It is that of the features here.
        config.leave('hidden_dim');
        return {};
      },
      weights: ({ pooledDense, outputDense }) => [
        ...weightsAt('layers/dense', pooledDense),
        ...weightsAt('layers/dense_1', outputDense),
      ],
    },
  },
};
