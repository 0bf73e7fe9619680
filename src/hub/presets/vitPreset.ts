/** @file KerasHub's presets of ViT. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import { readSize } from '../checkpoints/imageConfig.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import { ImageClassifier } from '../models/classifiers.ts';
import type { ViTBackbone, ViTBackboneOptions } from '../models/vit.ts';
import { readImageShape } from './imageShape.ts';
import type { Preset } from './preset.ts';
import { attentionAt, numbered, type PresetWeight, variableAt, weightsAt } from './presetWeights.ts';

function blockAt(
  { attention, attentionNorm, feedForward, feedForwardNorm }: TransformerBlock,
  group: string,
): readonly PresetWeight[] {
  return [
    ...weightsAt(`${group}/layer_norm_1`, attentionNorm),
    ...attentionAt(`${group}/mha`, attention),
    ...weightsAt(`${group}/layer_norm_2`, feedForwardNorm),
    ...weightsAt(`${group}/mlp/dense_1`, feedForward?.intermediateDense ?? null),
    ...weightsAt(`${group}/mlp/dense_2`, feedForward?.outputDense ?? null),
  ];
}

function options(config: ConfigReader): ViTBackboneOptions {
  for (const name of ['use_mha_bias', 'use_mlp_bias', 'use_class_token', 'use_patch_bias'])
    config.requireValue(name, true);
  return {
    imageShape: readImageShape(config),
    patchSize: readSize(config, 'patch_size', 16),
    numLayers: config.integer('num_layers'),
    numHeads: config.integer('num_heads'),
    hiddenDim: config.integer('hidden_dim'),
    mlpDim: config.integer('mlp_dim'),
    dropoutRate: config.number('dropout_rate', 0),
    attentionDropout: config.number('attention_dropout', 0),
    layerNormEpsilon: config.number('layer_norm_epsilon', 1e-6),
  };
}

export const vitPreset: Preset<ViTBackbone, ViTBackboneOptions> = {
  className: 'ViTBackbone',
  modelType: 'vit',
  read: options,
  weights: ({ embeddings, transformerLayers, layerNorm }) => [
    ...variableAt('layers/vi_t_patching_and_embedding/0', embeddings.classToken),
    ...weightsAt('layers/vi_t_patching_and_embedding/patch_embedding', embeddings.patchEmbedding),
    ...weightsAt('layers/vi_t_patching_and_embedding/position_embedding', embeddings.positionEmbedding),
    ...numbered('layers/vi_t_encoder/encoder_layers/vi_t_encoder_block', transformerLayers, blockAt),
    ...weightsAt('layers/vi_t_encoder/layer_norm', layerNorm),
  ],
  heads: {
    imageClassifier: {
      classNames: ['ViTImageClassifier'],
      read: (config) => {
        config.requireValue('pooling', 'token');
        config.requireValue('intermediate_dim');
        return {};
      },
      create: (backbone, { numClasses, labels, dropout }) =>
        new ImageClassifier({ backbone, numClasses, labels, dropout: dropout ?? 0 }),
      weights: ({ outputDense }) => weightsAt('layers/dense', outputDense),
    },
  },
};
