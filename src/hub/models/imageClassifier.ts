/** @file ImageClassifier: a vision transformer that sorts images into classes. */
import { layer } from '../../keras/layers/base/declare.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type ClassifierOptions, classifierTable } from './classifierOptions.ts';
import { featuresAt } from './featuresAt.ts';
import { backboneKind, HeadModel } from './headModel.ts';
import { ImageBackbone } from './imageBackbone.ts';
import { registered } from './registered.ts';

/** Options of `ImageClassifier`. */
export interface ImageClassifierOptions extends ClassifierOptions<ImageBackbone> {}

/**
 * A backbone that sorts images into classes, by the vector of the whole image. Shapes: images [batch, height, width, channels] → logits
 * [batch, numClasses].
 * Errors: ValueError for invalid options; those of the backbone.
 */
export class ImageClassifier extends /* @__PURE__ */ layer<
  ImageClassifierOptions,
  HeadModel<Tensor, ImageBackbone>
>('ImageClassifier', () => classifierTable(backboneKind(ImageBackbone, 'ViTBackbone')), HeadModel) {
  readonly dropoutLayer: Dropout;
  readonly outputDense: Dense;

  constructor(options: ImageClassifierOptions) {
    super(options);
    this.dropoutLayer = new Dropout({ name: 'output_dropout', rate: this.dropout });
    this.outputDense = new Dense({ name: 'predictions', units: this.numClasses });
    this.buildLayers([null, null, null, null]);
  }

  get task(): 'imageClassifier' {
    return 'imageClassifier';
  }

  override call(images: Tensor): Tensor {
    const whole = featuresAt(this.backbone.apply(images), 0);
    return this.outputDense.apply(this.dropoutLayer.apply(whole));
  }
}

registered(ImageClassifier);
