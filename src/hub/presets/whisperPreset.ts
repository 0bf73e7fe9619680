/** @file KerasHub's presets of Whisper. */
import type { WhisperBackbone } from '../models/whisperBackbone.ts';
import type { WhisperSettings } from '../models/whisperFamily.ts';
import { blockAt } from './kerasBlocks.ts';
import type { Preset } from './preset.ts';
import { numbered, weightsAt } from './presetWeights.ts';

export const whisperPreset: Preset<WhisperBackbone, WhisperSettings> = {
  className: 'WhisperBackbone',
  modelType: 'whisper',
  read: (config) => {
    const dropout = config.number('dropout', 0);
    const both = {
      numLayers: config.integer('num_layers'),
      numHeads: config.integer('num_heads'),
      hiddenDim: config.integer('hidden_dim'),
      intermediateDim: config.integer('intermediate_dim'),
      dropout,
      attentionDropout: dropout,
    };
    return {
      encoder: {
        name: 'encoder',
        numMels: config.integer('num_mels', 80),
        maxSequenceLength: config.integer('max_encoder_sequence_length', 3000),
        ...both,
      },
      decoder: {
        name: 'decoder',
        vocabularySize: config.integer('vocabulary_size'),
        maxSequenceLength: config.integer('max_decoder_sequence_length', 448),
        ...both,
      },
    };
  },
  weights: ({ encoder, decoder }) => [
    ...weightsAt('layers/conv1d', encoder.firstConvolution),
    ...weightsAt('layers/conv1d_1', encoder.secondConvolution),
    ...weightsAt('layers/position_embedding', encoder.positionEmbedding),
    ...numbered('layers/whisper_encoder', encoder.transformerLayers, blockAt),
    ...weightsAt('layers/layer_normalization', encoder.layerNorm),
    ...weightsAt('layers/token_and_position_embedding/token_embedding', decoder.embeddings.tokenEmbedding),
    ...weightsAt(
      'layers/token_and_position_embedding/position_embedding',
      decoder.embeddings.positionEmbedding,
    ),
    ...numbered('layers/whisper_decoder', decoder.transformerLayers, blockAt),
    ...weightsAt('layers/layer_normalization_1', decoder.layerNorm),
  ],
  heads: {},
};
