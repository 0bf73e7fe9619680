/** @file CLIP: Radford et al., "Learning transferable visual models from natural language supervision", 2021. */
import { constant } from '../../keras/initializers/index.ts';
import { integer, layer, type LayerOptions } from '../../keras/layers/base/declare.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Model } from '../../keras/models/model.ts';
import type { ClassConfig } from '../../keras/namedObjects.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { exp } from '../../ops/elementwise/unary.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { argMax } from '../../ops/reductions/argExtrema.ts';
import { normalize } from '../../ops/reductions/normalize.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { ensureBuilt } from '../layers/building.ts';
import { CLIPTextEncoder, CLIPVisionEncoder } from './clipEncoders.ts';
import { featuresAt } from './featuresAt.ts';
import { backboneKind } from './headModel.ts';
import { registered } from './registered.ts';
import { type TextInputs, textOf } from './textBackbone.ts';

/** Options of `CLIPBackbone`. */
export interface CLIPBackboneOptions extends LayerOptions {
  /** The encoder of images. */
  visionEncoder: CLIPVisionEncoder | ClassConfig;
  /** The encoder of texts. */
  textEncoder: CLIPTextEncoder | ClassConfig;
  /** The number of features that images and texts are compared by. */
  projectionDim: number;
  /** The token that ends a text, whose vector stands for it. Default null: the token with the largest number. */
  endToken?: number | null;
}

/** Images with texts, of any numbers. */
export type CLIPInputs = {
  /** float32 [images, height, width, channels]. */
  readonly images: Tensor;
  /** int32 [texts, length]. */
  readonly tokenIds: Tensor;
  /** bool or integers [texts, length]: 0 where a token is padding. Default: none is. */
  readonly paddingMask?: Tensor;
};

/** How well images and texts fit together: cosines, times a trained factor. */
export type CLIPOutputs = {
  /** [images, texts]. */
  readonly visionLogits: Tensor;
  /** [texts, images]. */
  readonly textLogits: Tensor;
};

/**
 * CLIP: which text fits which image. Softmax of `visionLogits` over the texts are the probabilities of descriptions of an image.
 * `getVisionEmbeddings` and `getTextEmbeddings` are vectors of images and texts that are near each other where both fit.
 * Errors: ValueError for invalid options; those of the encoders.
 */
export class CLIPBackbone extends /* @__PURE__ */ layer<CLIPBackboneOptions, Model<CLIPInputs, CLIPOutputs>>(
  'CLIPBackbone',
  () => ({
    visionEncoder: backboneKind(CLIPVisionEncoder, 'CLIPVisionEncoder'),
    textEncoder: backboneKind(CLIPTextEncoder, 'CLIPTextEncoder'),
    projectionDim: integer(),
    endToken: integer({ min: 0, default: null }),
  }),
  Model as never,
) {
  declare readonly visionEncoder: CLIPVisionEncoder;
  declare readonly textEncoder: CLIPTextEncoder;
  readonly visionProjection: Dense;
  readonly textProjection: Dense;
  /** The logarithm of the factor of cosines. */
  logitScale: Variable | null = null;

  constructor(options: CLIPBackboneOptions) {
    super(options);
    const projection = { units: this.projectionDim, useBias: false };
    this.visionProjection = new Dense({ name: 'vision_projection', ...projection });
    this.textProjection = new Dense({ name: 'text_projection', ...projection });
    this.ensureBuilt({ images: [null, null, null, null], tokenIds: [null, null] } as never);
  }

  get modelType(): string {
    return 'clip';
  }

  get task(): 'imageTextBackbone' {
    return 'imageTextBackbone';
  }

  override build(): void {
    ensureBuilt(this.visionProjection, [null, this.visionEncoder.hiddenDim]);
    ensureBuilt(this.textProjection, [null, this.textEncoder.hiddenDim]);
    this.logitScale = this.addWeight('logit_scale', { shape: [], initializer: constant(Math.log(1 / 0.07)) });
  }

  /** Vectors of images: [images, height, width, channels] → [images, projectionDim]. */
  getVisionEmbeddings(images: Tensor): Tensor {
    return this.visionProjection.apply(featuresAt(this.visionEncoder.apply(images), 0));
  }

  /** Vectors of texts: token ids, int32 [texts, length] → [texts, projectionDim]. */
  getTextEmbeddings(texts: TextInputs): Tensor {
    const { tokenIds } = textOf(texts);
    const { endToken } = this;
    // The first of the largest: tokens after the end are padding, which may be the same token.
    const ends = endToken === null ? tokenIds : cast(equal(tokenIds, endToken), 'int32');
    const features = this.textEncoder.apply(texts);
    return this.textProjection.apply(featuresAt(features, argMax(ends, { axis: -1 })));
  }

  override call(inputs: CLIPInputs): CLIPOutputs {
    const { images, ...texts } = inputs;
    const vision = normalize(this.getVisionEmbeddings(images), { axis: -1 });
    const text = normalize(this.getTextEmbeddings(texts), { axis: -1 });
    const cosines = matMul(vision, text, { transposeB: true });
    const visionLogits = mul(cosines, exp(this.logitScale as Variable));
    return { visionLogits, textLogits: transpose(visionLogits) };
  }
}

registered(CLIPBackbone);
