/** @file CLIPVisionEncoder and CLIPTextEncoder: the two transformers of CLIP. */
import type { Shape } from '../../core/shape.ts';
import {
  checked,
  integer,
  layer,
  type LayerOptions,
  number,
  oneOf,
  perAxisOf,
} from '../../keras/layers/base/declare.ts';
import type { Pair } from '../../keras/layers/base/dataFormat.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import type { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { layerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type TransformerActivation, transformerActivations } from '../layers/activationNames.ts';
import { tokenAndPositionEmbedding } from '../layers/tokenAndPositionEmbedding.ts';
import {
  type TransformerDecoder,
  transformerDecoder,
  type TransformerEncoder,
  transformerEncoder,
  type TransformerOptions,
} from '../layers/transformerBlock.ts';
import { vitPatchingAndEmbedding } from '../layers/vitPatchingAndEmbedding.ts';
import { ImageBackbone, imageShape } from './imageBackbone.ts';
import { registered } from './registered.ts';
import { TextBackbone, type TextRecord } from './textBackbone.ts';

/** Options of both encoders of CLIP. */
interface CLIPEncoderOptions extends LayerOptions {
  /** The number of features of a position. */
  hiddenDim: number;
  /** The number of blocks. */
  numLayers: number;
  /** The number of heads of attention. */
  numHeads: number;
  /** The number of features of a feed-forward layer. */
  intermediateDim: number;
  /** The activation of the feed-forward layers. Default 'quickGelu'. */
  intermediateActivation?: TransformerActivation;
  /** Fraction of the scores of attention that is cleared in training. Default 0. */
  attentionDropout?: number;
  /** Added to the variance in normalizations. Default 1e-5. */
  layerNormEpsilon?: number;
}

const encoderTable = () => ({
  hiddenDim: integer(),
  numLayers: integer(),
  numHeads: integer(),
  intermediateDim: integer(),
  intermediateActivation: oneOf(transformerActivations, 'quickGelu'),
  attentionDropout: checked(requireFraction, 0),
  layerNormEpsilon: number({ min: 0, default: 1e-5 }),
});

const blockOptions = (
  name: string,
  {
    numHeads,
    intermediateDim,
    intermediateActivation,
    attentionDropout,
    layerNormEpsilon,
  }: CLIPEncoderOptions,
): TransformerOptions => ({
  name,
  numHeads,
  intermediateDim,
  attentionDropout: attentionDropout as number,
  activation: intermediateActivation as TransformerActivation,
  layerNormEpsilon: layerNormEpsilon as number,
  normalizeFirst: true,
});

/** Options of `CLIPVisionEncoder`. */
export interface CLIPVisionEncoderOptions extends CLIPEncoderOptions {
  /** Height, width and channels of an image. */
  imageShape: readonly number[];
  /** Height and width of a patch. */
  patchSize: Pair;
}

/**
 * CLIP's encoder of images. Shapes: images [batch, height, width, channels] → [batch, 1 + patches, hiddenDim], the whole image first.
 * Errors: ValueError for invalid options; ShapeError for images of another size.
 */
export class CLIPVisionEncoder extends /* @__PURE__ */ layer<CLIPVisionEncoderOptions, ImageBackbone>(
  'CLIPVisionEncoder',
  () => ({ imageShape, patchSize: perAxisOf(2), ...encoderTable() }),
  ImageBackbone,
) {
  readonly embeddings = vitPatchingAndEmbedding({
    name: 'embedding',
    imageSize: this.imageShape.slice(0, 2) as never,
    patchSize: this.patchSize,
    hiddenDim: this.hiddenDim,
    usePatchBias: false,
  });

  readonly preLayerNorm = layerNormalization({ name: 'pre_layer_norm', epsilon: this.layerNormEpsilon });

  readonly layerNorm = layerNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });

  constructor(options: CLIPVisionEncoderOptions) {
    super(options);
    this.buildLayers([null, ...(this.imageShape as Shape)]);
  }

  get modelType(): string {
    return 'clip_vision_model';
  }

  protected override block(name: string): TransformerEncoder {
    return transformerEncoder(blockOptions(name, this));
  }

  protected override embed(images: Tensor): Tensor {
    return this.preLayerNorm.apply(this.embeddings.apply(images));
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(CLIPVisionEncoder);

/** Options of `CLIPTextEncoder`. */
export interface CLIPTextEncoderOptions extends CLIPEncoderOptions {
  /** The number of tokens. */
  vocabularySize: number;
  /** The length of the longest text. Default 77. */
  maxSequenceLength?: number;
}

/**
 * CLIP's encoder of texts, in which a token sees no later ones. Shapes: token ids, int32 [batch, length] → [batch, length, hiddenDim].
 * Errors: ValueError for invalid options; ShapeError for a text that is too long.
 */
export class CLIPTextEncoder extends /* @__PURE__ */ layer<CLIPTextEncoderOptions, TextBackbone>(
  'CLIPTextEncoder',
  () => ({ vocabularySize: integer(), ...encoderTable(), maxSequenceLength: integer({ default: 77 }) }),
  TextBackbone,
) {
  readonly embeddings = tokenAndPositionEmbedding({
    name: 'embedding',
    vocabularySize: this.vocabularySize,
    sequenceLength: this.maxSequenceLength,
    embeddingDim: this.hiddenDim,
  });

  readonly layerNorm = layerNormalization({ name: 'layer_norm', epsilon: this.layerNormEpsilon });

  constructor(options: CLIPTextEncoderOptions) {
    super(options);
    this.buildLayers();
  }

  get modelType(): string {
    return 'clip_text_model';
  }

  get tokenEmbedding(): ReversibleEmbedding {
    return this.embeddings.tokenEmbedding;
  }

  protected override block(name: string): TransformerDecoder {
    return transformerDecoder(blockOptions(name, this));
  }

  protected override embed({ tokenIds }: TextRecord, positions: Tensor | null): Tensor {
    return this.embeddings.apply(tokenIds, { positions });
  }

  protected override finish(x: Tensor): Tensor {
    return this.layerNorm.apply(x);
  }
}

registered(CLIPTextEncoder);
