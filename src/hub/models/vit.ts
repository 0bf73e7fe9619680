/** @file ViT: Dosovitskiy et al., "An image is worth 16×16 words: transformers for image recognition at scale", 2020. */
import type { Shape } from '../../core/shape.ts';
import {
  checked,
  flag,
  integer,
  layer,
  type LayerOptions,
  number,
  oneOf,
  perAxisOf,
} from '../../keras/layers/base/declare.ts';
import type { Pair } from '../../keras/layers/base/dataFormat.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { layerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import { dropout } from '../../keras/layers/regularization/dropout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { activationName } from '../checkpoints/configReader.ts';
import type { Family } from '../checkpoints/family.ts';
import { readSize, writeSize } from '../checkpoints/imageConfig.ts';
import { each, only, onlyPositions } from '../checkpoints/modules.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import { type TransformerEncoder, transformerEncoder } from '../layers/transformerBlock.ts';
import { patchGrid, vitPatchingAndEmbedding } from '../layers/vitPatchingAndEmbedding.ts';
import { ImageBackbone, imageShape } from './imageBackbone.ts';
import { ImageClassifier } from './classifiers.ts';
import { registered } from './registered.ts';

/** Options of `ViTBackbone`. */
export interface ViTBackboneOptions extends LayerOptions {
  /** Height, width and channels of an image. */
  imageShape: readonly number[];
  /** Height and width of a patch. */
  patchSize: Pair;
  /** The number of blocks. */
  numLayers: number;
  /** The number of heads of attention. */
  numHeads: number;
  /** The number of features of a patch. */
  hiddenDim: number;
  /** The number of features of a feed-forward layer. */
  mlpDim: number;
  /** The activation of the feed-forward layers. Default 'gelu'. */
  activation?: TransformerActivation;
  /** Fraction of outputs that is cleared in training. Default 0. */
  dropoutRate?: number;
  /** Fraction of the scores of attention that is cleared in training. Default 0. */
  attentionDropout?: number;
  /** Added to the variance in normalizations. Default 1e-6. */
  layerNormEpsilon?: number;
  /** Whether queries, keys and values have biases. Default true. */
  useMhaBias?: boolean;
}

/**
 * A vision transformer without a head. Shapes: images [batch, height, width, channels] → [batch, 1 + patches, hiddenDim], the whole image
 * first. `loadImageConverter` makes such images of pictures.
 * Errors: ValueError for invalid options; ShapeError for images of another size.
 */
export class ViTBackbone extends /* @__PURE__ */ layer<ViTBackboneOptions, ImageBackbone>(
  'ViTBackbone',
  () => ({
    imageShape,
    patchSize: perAxisOf(2),
    numLayers: integer(),
    numHeads: integer(),
    hiddenDim: integer(),
    mlpDim: integer(),
    activation: { ...oneOf(transformerActivations, 'gelu') } as never,
    dropoutRate: checked(requireFraction, 0),
    attentionDropout: checked(requireFraction, 0),
    layerNormEpsilon: number({ min: 0, default: 1e-6 }),
    useMhaBias: flag(true),
  }),
  ImageBackbone,
) {
  readonly embeddings = vitPatchingAndEmbedding({
    name: 'vit_patching_and_embedding',
    imageSize: this.imageShape.slice(0, 2) as never,
    patchSize: this.patchSize,
    hiddenDim: this.hiddenDim,
  });

  readonly embeddingsDropout = dropout({ name: 'embeddings_dropout', rate: this.dropoutRate });

  readonly layerNorm = layerNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });

  constructor(options: ViTBackboneOptions) {
    super(options);
    this.buildLayers([null, ...(this.imageShape as Shape)]);
  }

  get modelType(): string {
    return 'vit';
  }

  protected override block(name: string): TransformerEncoder {
    return transformerEncoder({
      name,
      numHeads: this.numHeads,
      intermediateDim: this.mlpDim,
      dropout: this.dropoutRate,
      attentionDropout: this.attentionDropout,
      activation: this.activation,
      layerNormEpsilon: this.layerNormEpsilon,
      normalizeFirst: true,
      attentionBias: this.useMhaBias ? 'all' : 'output',
    });
  }

  protected override embed(images: Tensor): Tensor {
    return this.embeddingsDropout.apply(this.embeddings.apply(images));
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(ViTBackbone);

/** What modules are called in transformers 5, by their names in files. */
const newNames = [
  ['encoder.layer.', 'layers.'],
  ['attention.attention.query', 'attention.q_proj'],
  ['attention.attention.key', 'attention.k_proj'],
  ['attention.attention.value', 'attention.v_proj'],
  ['attention.output.dense', 'attention.o_proj'],
  ['intermediate.dense', 'mlp.fc1'],
  ['output.dense', 'mlp.fc2'],
] as const;

/** The checkpoints of vision transformers. */
export const vit: Family<ViTBackbone, ViTBackboneOptions> = {
  modelType: 'vit',
  architecture: 'ViTModel',
  backboneTask: 'imageBackbone',
  prefix: 'vit',
  create: (options) => new ViTBackbone(options),
  read: (config) => {
    // Of a decoder that reconstructs images, and of the pooler.
    config.leave('encoder_stride', 'pooler_output_size', 'pooler_act');
    return {
      imageShape: [...readSize(config, 'image_size', 224), config.integer('num_channels', 3)],
      patchSize: readSize(config, 'patch_size', 16),
      numLayers: config.integer('num_hidden_layers', 12),
      numHeads: config.integer('num_attention_heads', 12),
      hiddenDim: config.integer('hidden_size', 768),
      mlpDim: config.integer('intermediate_size', 3072),
      activation: config.activation('hidden_act', 'gelu'),
      dropoutRate: config.number('hidden_dropout_prob', 0),
      attentionDropout: config.number('attention_probs_dropout_prob', 0),
      layerNormEpsilon: config.number('layer_norm_eps', 1e-12),
      useMhaBias: config.boolean('qkv_bias', true),
    };
  },
  write: (net) => ({
    image_size: writeSize(net.imageShape),
    num_channels: net.imageShape[2] as number,
    patch_size: writeSize(net.patchSize),
    num_hidden_layers: net.numLayers,
    num_attention_heads: net.numHeads,
    hidden_size: net.hiddenDim,
    intermediate_size: net.mlpDim,
    hidden_act: activationName(net.activation),
    hidden_dropout_prob: net.dropoutRate,
    attention_probs_dropout_prob: net.attentionDropout,
    layer_norm_eps: net.layerNormEpsilon,
    qkv_bias: net.useMhaBias,
  }),
  modules: ({ embeddings, transformerLayers, layerNorm, hiddenDim }) => {
    const { classToken, patchEmbedding, positionEmbedding } = embeddings;
    return {
      embeddings: [
        ...only('cls_token', classToken),
        ...onlyPositions('position_embeddings', positionEmbedding, [
          1,
          positionEmbedding.sequenceLength,
          hiddenDim,
        ]),
      ],
      'embeddings.patch_embeddings.projection': patchEmbedding,
      ...each(
        'encoder.layer',
        transformerLayers,
        ({ attention, attentionNorm, feedForward, feedForwardNorm }) => ({
          layernorm_before: attentionNorm,
          'attention.attention.query': attention?.queryDense ?? null,
          'attention.attention.key': attention?.keyDense ?? null,
          'attention.attention.value': attention?.valueDense ?? null,
          'attention.output.dense': attention?.outputDense ?? null,
          layernorm_after: feedForwardNorm,
          'intermediate.dense': feedForward?.intermediateDense ?? null,
          'output.dense': feedForward?.outputDense ?? null,
        }),
      ),
      layernorm: layerNorm,
    };
  },
  images: {
    section: null,
    positions: 'embeddings.position_embeddings',
    grid: ({ imageShape, patchSize }) => patchGrid(imageShape, patchSize),
  },
  adapterName: (module) => newNames.reduce((name, [from, to]) => name.replace(from, to), module),
  heads: {
    imageClassifier: {
      architecture: 'ViTForImageClassification',
      create: (backbone, { numClasses, labels }) =>
        new ImageClassifier({ backbone, numClasses, labels, dropout: 0 }),
      modules: ({ outputDense }) => ({ classifier: outputDense }),
    },
  },
  // The pooler, which no classifier reads, and the vector of patches that are hidden in pretraining.
  leftOut: /(^|\.)pooler\.dense\.(weight|bias)$|^(vit\.)?embeddings\.mask_token$/,
};
