/** @file The checkpoints of CLIP. */
import { isObject, type JsonObject } from '../../keras/json/document.ts';
import { activationName, type ConfigReader } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { readSize, writeSize } from '../checkpoints/imageConfig.ts';
import { each, type Modules, only, prefixed } from '../checkpoints/modules.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import { patchGrid } from '../layers/vitPatchingAndEmbedding.ts';
import { CLIPBackbone, type CLIPBackboneOptions } from './clip.ts';
import {
  CLIPTextEncoder,
  type CLIPTextEncoderOptions,
  CLIPVisionEncoder,
  type CLIPVisionEncoderOptions,
} from './clipEncoders.ts';
import { ofParts } from './ofParts.ts';

/** The options of the model, and those of its encoders. */
export interface CLIPSettings extends Pick<CLIPBackboneOptions, 'projectionDim' | 'endToken'> {
  readonly vision: CLIPVisionEncoderOptions;
  readonly text: CLIPTextEncoderOptions;
}

/** The checkpoints of CLIP, in which both encoders are. */
export const clip: Family<CLIPBackbone, CLIPSettings> = {
  modelType: 'clip',
  architecture: 'CLIPModel',
  backboneTask: 'imageTextBackbone',
  prefix: '',
  create: (settings) => create(settings),
  read: (config) => {
    const [vision, text] = [section(config, 'vision'), section(config, 'text')];
    // The factor is a weight of the checkpoint.
    config.leave('logit_scale_init_value');
    return {
      projectionDim: config.integer('projection_dim', 512),
      endToken: endTokenOf(text),
      vision: {
        name: 'vision_encoder',
        imageShape: [...readSize(vision, 'image_size', 224), vision.integer('num_channels', 3)],
        patchSize: readSize(vision, 'patch_size', 32),
        ...encoderOptions(vision, { hidden: 768, inner: 3072, heads: 12 }),
      },
      text: {
        name: 'text_encoder',
        vocabularySize: text.integer('vocab_size', 49_408),
        maxSequenceLength: text.integer('max_position_embeddings', 77),
        ...encoderOptions(text, { hidden: 512, inner: 2048, heads: 8 }),
      },
    };
  },
  write: ({ visionEncoder, textEncoder, projectionDim, endToken }) => ({
    projection_dim: projectionDim,
    vision_config: {
      model_type: visionEncoder.modelType,
      image_size: writeSize(visionEncoder.imageShape),
      num_channels: visionEncoder.imageShape[2] as number,
      patch_size: writeSize(visionEncoder.patchSize),
      projection_dim: projectionDim,
      ...encoderFields(visionEncoder),
    },
    text_config: {
      model_type: textEncoder.modelType,
      vocab_size: textEncoder.vocabularySize,
      max_position_embeddings: textEncoder.maxSequenceLength,
      eos_token_id: endToken ?? largestIsEnd,
      projection_dim: projectionDim,
      ...encoderFields(textEncoder),
    },
  }),
  modules: ({ visionEncoder, textEncoder, visionProjection, textProjection, logitScale }) => ({
    '': only('logit_scale', logitScale),
    visual_projection: visionProjection,
    text_projection: textProjection,
    ...prefixed('vision_model', {
      embeddings: only('class_embedding', visionEncoder.embeddings.classToken, [visionEncoder.hiddenDim]),
      'embeddings.patch_embedding': visionEncoder.embeddings.patchEmbedding,
      'embeddings.position_embedding': visionEncoder.embeddings.positionEmbedding,
      // As the module is called there.
      pre_layrnorm: visionEncoder.preLayerNorm,
      ...blocks(visionEncoder.transformerLayers),
      post_layernorm: visionEncoder.layerNorm,
    }),
    ...prefixed('text_model', {
      'embeddings.token_embedding': textEncoder.embeddings.tokenEmbedding,
      'embeddings.position_embedding': textEncoder.embeddings.positionEmbedding,
      ...blocks(textEncoder.transformerLayers),
      final_layer_norm: textEncoder.layerNorm,
    }),
  }),
  images: {
    section: 'vision_config',
    positions: 'vision_model.embeddings.position_embedding.weight',
    grid: ({ vision: { imageShape, patchSize } }) => patchGrid(imageShape, patchSize),
  },
  heads: {},
};

/** The `eos_token_id` of early checkpoints, which isn't the token that ends their texts: that is the one with the largest number. */
const largestIsEnd = 2;

const create = ({ vision, text, ...options }: CLIPSettings): CLIPBackbone =>
  ofParts(
    () => new CLIPVisionEncoder(vision),
    () => new CLIPTextEncoder(text),
    (visionEncoder, textEncoder) => new CLIPBackbone({ ...options, visionEncoder, textEncoder }),
  );

/** The fields of an encoder. In older files a second object has those that differ from the defaults. */
function section(config: ConfigReader, name: 'vision' | 'text'): ConfigReader {
  const older = config.field(`${name}_config_dict`);
  const found = config.section(`${name}_config`, isObject(older) ? older : {});
  found.requireValue('dropout', 0);
  // That of the whole model counts; and no logits are tied to the vectors of tokens.
  found.leave('projection_dim', 'tie_word_embeddings');
  return found;
}

function endTokenOf(text: ConfigReader): number | null {
  const given = text.field('eos_token_id') ?? 49_407;
  if (!Number.isSafeInteger(given)) text.refuse('eos_token_id', 'is an integer');
  return given === largestIsEnd ? null : (given as number);
}

function encoderOptions(config: ConfigReader, sizes: { hidden: number; inner: number; heads: number }) {
  return {
    hiddenDim: config.integer('hidden_size', sizes.hidden),
    numLayers: config.integer('num_hidden_layers', 12),
    numHeads: config.integer('num_attention_heads', sizes.heads),
    intermediateDim: config.integer('intermediate_size', sizes.inner),
    intermediateActivation: config.activation('hidden_act', 'quick_gelu'),
    attentionDropout: config.number('attention_dropout', 0),
    layerNormEpsilon: config.number('layer_norm_eps', 1e-5),
  };
}

function encoderFields(net: CLIPVisionEncoder | CLIPTextEncoder): JsonObject {
  return {
    hidden_size: net.hiddenDim,
    num_hidden_layers: net.numLayers,
    num_attention_heads: net.numHeads,
    intermediate_size: net.intermediateDim,
    hidden_act: activationName(net.intermediateActivation),
    attention_dropout: net.attentionDropout,
    layer_norm_eps: net.layerNormEpsilon,
  };
}

const blocks = (layers: readonly TransformerBlock[]): Modules =>
  each('encoder.layers', layers, ({ attention, attentionNorm, feedForward, feedForwardNorm }) => ({
    'self_attn.q_proj': attention?.queryDense ?? null,
    'self_attn.k_proj': attention?.keyDense ?? null,
    'self_attn.v_proj': attention?.valueDense ?? null,
    'self_attn.out_proj': attention?.outputDense ?? null,
    layer_norm1: attentionNorm,
    'mlp.fc1': feedForward?.intermediateDense ?? null,
    'mlp.fc2': feedForward?.outputDense ?? null,
    layer_norm2: feedForwardNorm,
  }));
