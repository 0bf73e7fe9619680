/** @file KerasHub's presets of CLIP. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import { readSize } from '../checkpoints/imageConfig.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import type { CLIPBackbone } from '../models/clip.ts';
import type { CLIPSettings } from '../models/clipFamily.ts';
import { readImageShape } from './imageShape.ts';
import type { Preset } from './preset.ts';
import { attentionAt, numbered, type PresetWeight, variableAt, weightsAt } from './presetWeights.ts';

function blockAt(
  { attention, attentionNorm, feedForward, feedForwardNorm }: TransformerBlock,
  group: string,
): readonly PresetWeight[] {
  return [
    ...weightsAt(`${group}/layer_norm_1`, attentionNorm),
    ...attentionAt(`${group}/attention`, attention),
    ...weightsAt(`${group}/layer_norm_2`, feedForwardNorm),
    ...weightsAt(`${group}/dense_1`, feedForward?.intermediateDense ?? null),
    ...weightsAt(`${group}/dense_2`, feedForward?.outputDense ?? null),
  ];
}

/** The configuration of an encoder, which is inside that of the model. */
function encoder(config: ConfigReader, name: string): ConfigReader {
  const whole = config.section(name);
  whole.leave('module', 'class_name', 'registered_name', 'build_config');
  const inside = whole.section('config');
  // The second output of an encoder, which none of these models has.
  inside.leave('name', 'trainable', 'dtype', 'intermediate_output_index');
  return inside;
}

const encoderOptions = (config: ConfigReader) => ({
  hiddenDim: config.integer('hidden_dim'),
  numLayers: config.integer('num_layers'),
  numHeads: config.integer('num_heads'),
  intermediateDim: config.integer('intermediate_dim'),
  intermediateActivation: config.activation('intermediate_activation', 'quick_gelu'),
  // KerasHub has 1e-6 in the last normalization of texts; the networks were trained with this one.
  layerNormEpsilon: 1e-5,
});

export const clipPreset: Preset<CLIPBackbone, CLIPSettings> = {
  className: 'CLIPBackbone',
  modelType: 'clip',
  read: (config) => {
    const [vision, text] = [encoder(config, 'vision_encoder'), encoder(config, 'text_encoder')];
    const ofText = encoderOptions(text);
    text.requireValue('embedding_dim', ofText.hiddenDim);
    return {
      projectionDim: config.integer('projection_dim'),
      // Texts end at the token with the largest number.
      endToken: null,
      vision: {
        name: 'vision_encoder',
        imageShape: readImageShape(vision),
        patchSize: readSize(vision, 'patch_size', 32),
        ...encoderOptions(vision),
      },
      text: {
        name: 'text_encoder',
        vocabularySize: text.integer('vocabulary_size'),
        maxSequenceLength: text.integer('max_sequence_length', 77),
        ...ofText,
      },
    };
  },
  weights: ({ visionEncoder, textEncoder, visionProjection, textProjection, logitScale }) => {
    const [vision, text] = ['layers/clip_vision_encoder/layers', 'layers/clip_text_encoder/layers'];
    const { classToken, patchEmbedding, positionEmbedding } = visionEncoder.embeddings;
    return [
      ...variableAt(`${vision}/clip_vision_embedding/0`, classToken, [visionEncoder.hiddenDim]),
      ...weightsAt(`${vision}/clip_vision_embedding/patch_embedding`, patchEmbedding),
      ...weightsAt(`${vision}/clip_vision_embedding/position_embedding`, positionEmbedding),
      ...weightsAt(`${vision}/layer_normalization`, visionEncoder.preLayerNorm),
      ...numbered(`${vision}/clip_encoder_layer`, visionEncoder.transformerLayers, blockAt),
      ...weightsAt(`${vision}/layer_normalization_1`, visionEncoder.layerNorm),
      ...weightsAt(
        `${text}/token_and_position_embedding/token_embedding`,
        textEncoder.embeddings.tokenEmbedding,
      ),
      ...weightsAt(
        `${text}/token_and_position_embedding/position_embedding`,
        textEncoder.embeddings.positionEmbedding,
      ),
      ...numbered(`${text}/clip_encoder_layer`, textEncoder.transformerLayers, blockAt),
      ...weightsAt(`${text}/layer_normalization`, textEncoder.layerNorm),
      ...weightsAt('layers/dense', visionProjection),
      ...weightsAt('layers/dense_1', textProjection),
      ...variableAt('layers/clip_head/0', logitScale),
    ];
  },
  heads: {},
  // The numbers of positions, 0, 1, …, which are a weight there.
  leftOut: /\/clip_vision_embedding\/1$/,
};
