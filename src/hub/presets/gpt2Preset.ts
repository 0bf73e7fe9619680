/** @file KerasHub's presets of GPT-2. */
import type { GPT2Backbone, GPT2BackboneOptions } from '../models/gpt2.ts';
import { blockAt } from './kerasBlocks.ts';
import type { Preset } from './preset.ts';
import { numbered, weightsAt } from './presetWeights.ts';

export const gpt2Preset: Preset<GPT2Backbone, GPT2BackboneOptions> = {
  className: 'GPT2Backbone',
  modelType: 'gpt2',
  read: (config) => {
    const dropout = config.number('dropout', 0.1);
    return {
      vocabularySize: config.integer('vocabulary_size'),
      numLayers: config.integer('num_layers'),
      numHeads: config.integer('num_heads'),
      hiddenDim: config.integer('hidden_dim'),
      intermediateDim: config.integer('intermediate_dim'),
      dropout,
      attentionDropout: dropout,
      embeddingDropout: dropout,
      maxSequenceLength: config.integer('max_sequence_length', 1024),
    };
  },
  weights: (net) => [
    ...weightsAt('layers/reversible_embedding', net.embeddings.tokenEmbedding),
    ...weightsAt('layers/position_embedding', net.embeddings.positionEmbedding),
    ...numbered('layers/transformer_decoder', net.transformerLayers, blockAt),
    ...weightsAt('layers/layer_normalization', net.layerNorm),
  ],
  heads: { causalLM: { classNames: ['GPT2CausalLM'] } },
};
