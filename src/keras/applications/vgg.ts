/**
 * @file VGG16 and VGG19, with Keras's names.
 * Source: Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, ICLR 2015.
 */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, type OpenShape, requireInteger } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/recording.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ActivationLike } from '../activations.ts';
import { heNormal, type InitializerLike } from '../initializers/index.ts';
import { conv2d } from '../layers/conv2d.ts';
import { dense } from '../layers/dense.ts';
import { flatten } from '../layers/flatten.ts';
import { input } from '../layers/inputLayer.ts';
import { maxPooling2d } from '../layers/maxPooling.ts';
import { type Functional, model } from '../models/functional.ts';
import { preprocessBgr } from './preprocess.ts';

export interface VggOptions {
  /** Whether the three dense layers at the top are there. Default true. */
  includeTop?: boolean;
  /** Null, the default: random weights. Files of trained weights are read by a later version. */
  weights?: null;
  /** [height, width, channels]; default [224, 224, 3], or [null, null, 3] without the top. */
  inputShape?: OpenShape;
  /** A symbolic tensor to build upon, instead of `inputShape`. */
  inputTensor?: SymbolicTensor;
  /** Default 1000. */
  classes?: number;
  /** Default 'softmax'. */
  classifierActivation?: ActivationLike | null;
  /** Makes random weights the same every time; each layer draws its own. Default: drawn. */
  seed?: number;
  /** Default: 'heNormal', which keeps the variance of features through ReLUs (He et al., ICCV 2015). */
  kernelInitializer?: InitializerLike;
  name?: string;
}

type Vgg = Functional<Tensor, Tensor>;

/** Filters of the five blocks. */
const filters = [64, 128, 256, 512, 512] as const;

/**
 * VGG16: 13 convolutions in five blocks, three dense layers. Layers are named `block1_conv1` to `block5_pool`, `flatten`,
 * `fc1`, `fc2`, `predictions`. Input: images as `vgg16.preprocessInput` gives them.
 * Errors: ValueError for weights other than null; ShapeError for an `inputShape` that isn't one of images.
 */
export const vgg16 = /* @__PURE__ */ Object.assign(
  (options: VggOptions = {}): Vgg => build('vgg16', [2, 2, 3, 3, 3], options),
  { preprocessInput: preprocessBgr },
);

/** VGG19: 16 convolutions in five blocks, three dense layers. As `vgg16` otherwise. */
export const vgg19 = /* @__PURE__ */ Object.assign(
  (options: VggOptions = {}): Vgg => build('vgg19', [2, 2, 4, 4, 4], options),
  { preprocessInput: preprocessBgr },
);

function build(kind: string, convolutions: readonly number[], options: VggOptions): Vgg {
  const { includeTop = true, classes = 1000, name = kind } = options;
  const top = options.classifierActivation === undefined ? 'softmax' : options.classifierActivation;
  checkOptions(kind, options);
  const initializerOf = initializers(options);
  const image = options.inputTensor ?? input({ shape: imageShape(kind, includeTop, options.inputShape) });
  let x: SymbolicTensor = image;
  convolutions.forEach((count, block) => {
    for (let i = 1; i <= count; i++) {
      x = conv2d({
        filters: filters[block] as number,
        kernelSize: 3,
        padding: 'same',
        activation: 'relu',
        kernelInitializer: initializerOf(),
        name: `block${block + 1}_conv${i}`,
      }).apply(x);
    }
    x = maxPooling2d({ poolSize: 2, strides: 2, name: `block${block + 1}_pool` }).apply(x);
  });
  if (includeTop) {
    x = flatten({ name: 'flatten' }).apply(x);
    for (const layer of ['fc1', 'fc2']) {
      x = dense({
        units: 4096,
        activation: 'relu',
        kernelInitializer: initializerOf(),
        name: layer,
      }).apply(x);
    }
    x = dense({
      units: classes,
      activation: top,
      kernelInitializer: initializerOf(),
      name: 'predictions',
    }).apply(x);
  }
  return model({ inputs: image, outputs: x, name });
}

/** One initializer a layer. With a seed they differ by their place, so that no two layers draw the same values. */
function initializers({ seed, kernelInitializer }: VggOptions): () => InitializerLike {
  let place = 0;
  return () => {
    if (kernelInitializer !== undefined) return kernelInitializer;
    return heNormal({ seed: seed === undefined ? undefined : seed * 64 + place++ });
  };
}

function checkOptions(op: string, { weights = null, classes, seed }: VggOptions): void {
  if (weights !== null) {
    throw new ValueError({
      op,
      rule: '`weights` is null: random weights. Files of trained weights are read by a later version.',
      received: `weights: ${describe(weights)}`,
      mend: 'pass weights: null, with a seed where they must be the same every time.',
    });
  }
  if (classes !== undefined) requireInteger(op, 'classes', classes, 1);
  if (seed !== undefined) requireInteger(op, 'seed', seed, 0);
}

function imageShape(op: string, includeTop: boolean, shape: OpenShape | undefined): OpenShape {
  if (shape === undefined) return includeTop ? [224, 224, 3] : [null, null, 3];
  const [height, width, channels] = shape;
  const smallest = 32;
  const large = (n: number | null | undefined) =>
    n === null ? !includeTop : n !== undefined && n >= smallest;
  if (shape.length === 3 && large(height) && large(width) && channels !== null) return shape;
  throw new ShapeError({
    op,
    rule: `\`inputShape\` is [height, width, channels], of at least ${smallest} pixels each way${includeTop ? '' : ', or null for any'}.`,
    received: describe(shape),
    mend: 'pass [224, 224, 3], or [null, null, 3] with includeTop: false.',
  });
}
