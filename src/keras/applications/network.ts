/** @file What the networks share: their options, the checks of these, their input, initializers from one seed. */
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, type OpenShape, requireBoolean, requireInteger } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ActivationLike } from '../activations.ts';
import { getSourceInputs } from '../graph/sourceInputs.ts';
import type { Initializer, InitializerLike } from '../initializers/index.ts';
import { globalAveragePooling2d, globalMaxPooling2d } from '../layers/pooling/globalPooling.ts';
import { input } from '../layers/core/inputLayer.ts';
import { type Functional, model } from '../models/functional.ts';

/** Options of every network of `applications`. */
export interface NetworkOptions {
  /** Whether to include the classification layers. Default true. */
  includeTop?: boolean;
  /** Null, the default: random weights. `loadWeights` takes files of trained ones. */
  weights?: null;
  /** [height, width, channels]; default [224, 224, 3], or [null, null, 3] without the top. */
  inputShape?: OpenShape;
  /** A symbolic tensor to build upon, instead of `inputShape`. */
  inputTensor?: SymbolicTensor;
  /** Without the top: features as they are (null, the default), or each channel's mean or maximum. */
  pooling?: 'avg' | 'max' | null;
  /** Default 1000. */
  classes?: number;
  /** Default 'softmax'. */
  classifierActivation?: ActivationLike | null;
  /** Makes random weights the same every time; each layer draws its own. Default: drawn. */
  seed?: number;
  /** For every kernel. Default: the network's own. */
  kernelInitializer?: InitializerLike;
  name?: string;
}

const networkOptionNames: OptionNames<NetworkOptions> = {
  includeTop: false,
  weights: false,
  inputShape: false,
  inputTensor: false,
  pooling: false,
  classes: false,
  classifierActivation: false,
  seed: false,
  kernelInitializer: false,
  name: false,
};

export type Network = Functional<Tensor, Tensor>;

/** Makes a network; `preprocessInput` brings pictures to the range that it was trained on. */
export interface NetworkMaker<O extends NetworkOptions, P> {
  (options?: O): Network;
  readonly preprocessInput: P;
}

/** Errors: ValueError for options that aren't known, ShapeError for a shape that isn't one of images. */
export function checkNetwork(op: string, options: NetworkOptions, more: readonly string[] = []): void {
  checkOptions(op, options, [...Object.keys(networkOptionNames), ...more]);
  const { includeTop, weights = null, pooling = null, classes, seed } = options;
  if (weights !== null) {
    throw new ValueError({
      op,
      rule: '`weights` is null: random weights.',
      received: `weights: ${describe(weights)}`,
      hint: 'load trained weights from a file: await network.loadWeights(file).',
    });
  }
  if (pooling !== null && pooling !== 'avg' && pooling !== 'max') {
    throw new ValueError({
      op,
      rule: "`pooling` is 'avg', 'max' or null.",
      received: `pooling: ${describe(pooling)}`,
      hint: 'leave it out for features of every place.',
    });
  }
  if (includeTop !== undefined) requireBoolean(op, 'includeTop', includeTop);
  if (classes !== undefined) requireInteger(op, 'classes', classes, 1);
  if (seed !== undefined) requireInteger(op, 'seed', seed, 0);
}

/** The images that the network takes. */
export function imageOf(
  op: string,
  { includeTop = true, inputShape, inputTensor }: NetworkOptions,
): SymbolicTensor {
  return inputTensor ?? input({ shape: imageShape(op, includeTop, inputShape) });
}

/** The network between `image`, or what it was made of, and `features`. */
export function networkOf(image: SymbolicTensor, features: SymbolicTensor, name: string): Network {
  const sources = getSourceInputs(image as never);
  return model({
    inputs: (sources.length === 1 ? sources[0] : sources) as SymbolicTensor,
    outputs: features,
    name,
  });
}

/** The features of a network without its top, pooled as the options say. */
export function pooled(
  features: SymbolicTensor,
  { pooling }: NetworkOptions,
  names: { avg?: string; max?: string } = {},
): SymbolicTensor {
  if (pooling === 'avg') return globalAveragePooling2d(named(names.avg)).apply(features);
  if (pooling === 'max') return globalMaxPooling2d(named(names.max)).apply(features);
  return features;
}

const named = (name: string | undefined) => (name === undefined ? {} : { name });

/** The activation of the top. */
export function topActivation({ classifierActivation }: NetworkOptions): ActivationLike | null {
  return classifierActivation === undefined ? 'softmax' : classifierActivation;
}

/**
 * Initializers, one for each of `most` layers that ask. With a seed they differ by their place, so that no two layers draw
 * the same values.
 */
export function initializersOf({ seed, kernelInitializer }: NetworkOptions, most: number) {
  let place = 0;
  return (own: (options: { seed: number | undefined }) => Initializer): InitializerLike =>
    kernelInitializer ?? own({ seed: seed === undefined ? undefined : seed * most + place++ });
}

const smallest = 32;

function imageShape(op: string, includeTop: boolean, shape: OpenShape | undefined): OpenShape {
  if (shape === undefined) return includeTop ? [224, 224, 3] : [null, null, 3];
  const [height, width, channels] = shape;
  const large = (n: number | null | undefined) =>
    n === null ? !includeTop : n !== undefined && n >= smallest;
  if (shape.length === 3 && large(height) && large(width) && channels !== null) return shape;
  throw new ShapeError({
    op,
    rule: `\`inputShape\` is [height, width, channels], of at least ${smallest} pixels each way${includeTop ? '' : ', or null for any'}.`,
    received: describe(shape),
    hint: 'pass [224, 224, 3], or [null, null, 3] with includeTop: false.',
  });
}

/**
 * Zeros before a strided convolution without padding of its own, so that its windows lie as those of the published
 * weights: [[top, bottom], [left, right]] for images of `shape` and square windows of `size`.
 */
export function stridePadding(shape: OpenShape, size: number): [[number, number], [number, number]] {
  const [, height, width] = shape;
  const half = Math.floor(size / 2);
  const before = (n: number | null | undefined) =>
    half - (typeof height === 'number' ? 1 - ((n ?? 0) % 2) : 1);
  return [
    [before(height), half],
    [before(width), half],
  ];
}
