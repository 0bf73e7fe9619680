/** @file KerasHub's presets of Gemma 3, those without images. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import type { Gemma3Backbone, Gemma3BackboneOptions } from '../models/gemma3.ts';
import type { Preset } from './preset.ts';
import { attentionAt, numbered, type PresetWeight, weightsAt } from './presetWeights.ts';

function rotary(config: ConfigReader, kind: 'local' | 'global', maxWavelength: number): RotaryOptions {
  const factor = config.number(`${kind}_rope_scaling_factor`, 1);
  return { maxWavelength, scaling: factor === 1 ? null : { type: 'linear', factor } };
}

function blockAt(block: TransformerBlock, group: string): readonly PresetWeight[] {
  const { attention, feedForward } = block;
  return [
    ...weightsAt(`${group}/pre_attention_norm`, block.attentionNorm),
    ...attentionAt(`${group}/attention`, attention, { headsFirst: true }),
    ...weightsAt(`${group}/attention/query_norm`, attention?.queryNorm ?? null),
    ...weightsAt(`${group}/attention/key_norm`, attention?.keyNorm ?? null),
    ...weightsAt(`${group}/post_attention_norm`, block.attentionOutputNorm),
    ...weightsAt(`${group}/pre_ffw_norm`, block.feedForwardNorm),
    ...weightsAt(`${group}/gating_ffw`, feedForward?.gateDense ?? null),
    ...weightsAt(`${group}/gating_ffw_2`, feedForward?.intermediateDense ?? null),
    ...weightsAt(`${group}/ffw_linear`, feedForward?.outputDense ?? null),
    ...weightsAt(`${group}/post_ffw_norm`, block.feedForwardOutputNorm),
  ];
}

export const gemma3Preset: Preset<Gemma3Backbone, Gemma3BackboneOptions> = {
  className: 'Gemma3Backbone',
  modelType: 'gemma3_text',
  read: (config) => {
    for (const name of [
      'query_head_dim_normalize',
      'use_query_key_norm',
      'use_post_ffw_norm',
      'use_post_attention_norm',
    ])
      config.requireValue(name, true);
    for (const name of ['use_bidirectional_attention', 'is_embedding_model'])
      config.requireValue(name, false);
    for (const name of ['vision_encoder', 'attention_logit_soft_cap']) config.requireValue(name);
    config.requireValue('dropout', 0);
    config.leave('image_size', 'pooling_intermediate_dim', 'embedding_dim');
    const numLayers = config.integer('num_layers');
    const headDim = config.integer('head_dim');
    const slides = config.boolean('use_sliding_window_attention', false);
    return {
      vocabularySize: config.integer('vocabulary_size'),
      numLayers,
      numQueryHeads: config.integer('num_query_heads'),
      numKeyValueHeads: config.integer('num_key_value_heads'),
      hiddenDim: config.integer('hidden_dim'),
      intermediateDim: config.integer('intermediate_dim'),
      headDim,
      queryScalar: headDim,
      globalRotary: rotary(config, 'global', 1_000_000),
      localRotary: rotary(config, 'local', 10_000),
      slidingWindow: config.integer('sliding_window_size', 1024),
      slidingLayers: Array.from({ length: Math.min(numLayers, 2 ** 16) }, (_, i) => slides && i % 6 < 5),
      layerNormEpsilon: config.number('layer_norm_epsilon', 1e-6),
      logitSoftCap: config.number('final_logit_soft_cap', null),
    };
  },
  weights: (net) => [
    ...weightsAt('layers/reversible_embedding', net.tokenEmbedding),
    ...numbered('layers/gemma3_decoder_block', net.transformerLayers, blockAt),
    ...weightsAt('layers/rms_normalization', net.layerNorm),
  ],
  heads: { causalLM: { classNames: ['Gemma3CausalLM'] } },
};
