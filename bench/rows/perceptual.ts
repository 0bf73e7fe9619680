/**
 * @file A step of a perceptual loss: the features of VGG19 up to block4_conv2, compared with those of a target, and the
 * gradient to the image. Weights are random (He initialization), and so is the target: the measurements don't depend on them.
 */
import { add, fusedConv2d, maxPool, mean, squaredDifference, type Tensor } from 'retrograd';
import { convolveAndRectify, type Image, maxPool as maxPool64 } from '../float64.ts';
import { fromChannelsFirst, type HostArray, normal, toChannelsFirst, toFiltersFirst } from '../host.ts';
import type { Tfjs } from '../peers/tfjs.ts';
import type { Family } from '../row.ts';
import type { TrainingRow } from '../training.ts';
import { inEachPrecision, jaxConvolveAndRectify, jaxMaxPool } from './steps.ts';

type TfTensor = ReturnType<Tfjs['tensor']>;

/** Filters of the convolutions of each block; features of the last listed one are compared. */
const blocks = [
  [64, 64],
  [128, 128],
  [256, 256, 256, 256],
  [512, 512],
];
/** Convolutions after which features are compared: the second of each block. */
const compared = 2;

/** Features of `image`: `convolve` takes the index of the convolution. */
function featuresOf<T>(
  image: T,
  convolve: (x: T, index: number) => T,
  pool: (x: T) => T,
  held: (x: T) => T = (x) => x,
): T[] {
  const features: T[] = [];
  let [x, index] = [image, 0];
  blocks.forEach((block, i) => {
    if (i > 0) x = pool(x);
    block.forEach((_, j) => {
      x = convolve(x, index++);
      if (j + 1 === compared) features.push(i === blocks.length - 1 ? x : held(x));
    });
  });
  return features;
}

function network(): HostArray[] {
  let channels = 3;
  return blocks.flat().flatMap((filters, i) => {
    const w = normal([3, 3, channels, filters], 50 + 2 * i, Math.sqrt(2 / (9 * channels)));
    channels = filters;
    return [w, normal([filters], 51 + 2 * i, 0.01)];
  });
}

function features64(values: Float64Array, size: number, weights: readonly HostArray[]): Image[] {
  const image: Image = { batch: 1, height: size, width: size, channels: 3, values };
  const [w, b] = [
    (i: number) => weights[2 * i]?.values ?? [],
    (i: number) => weights[2 * i + 1]?.values ?? [],
  ];
  return featuresOf(image, (x, i) => convolveAndRectify(x, w(i), b(i)), maxPool64);
}

function row(size: number): TrainingRow {
  const count = blocks.flat().length;
  return {
    name: `VGG19 perceptual step ${size}², gradient to the image`,
    family: 'perceptual',
    training: () => {
      const wanted = blocks.map(([filters = 0], i) => {
        const side = size / 2 ** i;
        return normal([1, side, side, filters], 2 + i);
      });
      return {
        parameters: [normal([1, size, size, 3], 1)],
        batch: [],
        constants: [...network(), ...wanted],
        rate: 1,
        momentum: 0,
      };
    },
    directions: 2,
    lossAt: ([image = new Float64Array(0)], _, constants) => {
      const wanted = constants.slice(2 * count);
      return features64(image, size, constants).reduce((total, { values }, i) => {
        const target = wanted[i]?.values ?? [];
        return (
          total + values.reduce((all, v, j) => all + (v - (target[j] as number)) ** 2, 0) / values.length
        );
      }, 0);
    },
    retrograd: ({ parameters: [image], constants }, operand) => {
      const features = featuresOf(
        image!,
        (x: Tensor, i) =>
          fusedConv2d(operand(x), operand(constants[2 * i]!), constants[2 * i + 1]!, {
            padding: 'same',
            activation: 'relu',
          }),
        (x) => maxPool(x, { poolSize: 2 }),
      );
      return features
        .map((feature, i) => mean(squaredDifference(feature, constants[2 * count + i]!)))
        .reduce((a, b) => add(a, b));
    },
    tfjs: (tf, { parameters: [image], constants }) => {
      const features = featuresOf(
        image!,
        (x: TfTensor, i) => {
          const [filter, bias] = [constants[2 * i], constants[2 * i + 1]];
          return tf.fused.conv2d({
            x,
            filter,
            bias,
            strides: 1,
            pad: 'same',
            activation: 'relu',
          } as never) as TfTensor;
        },
        (x) => tf.maxPool(x as never, 2, 2, 'valid') as TfTensor,
      );
      return features
        .map((feature, i) => tf.mean(tf.squaredDifference(feature, constants[2 * count + i]!)))
        .reduce((a, b) => tf.add(a, b));
    },
    jaxjs: (jax, { parameters: [image], constants }) => {
      const features = featuresOf(
        image!,
        (x, i) => jaxConvolveAndRectify(jax, x, constants[2 * i]!, constants[2 * i + 1]!),
        (x) => jaxMaxPool(jax, x),
        (x) => x.ref,
      );
      return features
        .map((feature, i) => jax.numpy.mean(jax.numpy.square(feature.sub(constants[2 * count + i]!))))
        .reduce((a, b) => a.add(b));
    },
    jaxLayout: [
      toChannelsFirst,
      ...blocks.flat().flatMap(() => [toFiltersFirst, null]),
      ...blocks.map(() => toChannelsFirst),
    ],
    jaxRestore: [fromChannelsFirst],
  };
}

export const perceptualFamily: Family = {
  name: 'perceptual',
  rows: (adapter) => inEachPrecision(adapter, [row(adapter === 'gpu' ? 256 : 32)]),
};
