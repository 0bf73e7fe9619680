/** @file Common code of all networks: options and their checks, the input, initializers from one seed. */
import { isListOf } from '../../core/lists.ts';
import { byPosition, checkOptions, type OptionNames } from '../../core/options.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, type OpenShape, requireBoolean, requireInteger } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ActivationLike } from '../activations.ts';
import { getSourceInputs } from '../graph/sourceInputs.ts';
import type { Initializer, InitializerLike } from '../initializers/index.ts';
import { globalAveragePooling2d, globalMaxPooling2d } from '../layers/pooling/globalPooling.ts';
import { input } from '../layers/core/inputLayer.ts';
import { type Functional, model } from '../models/functional.ts';
import { decodePredictions } from './decodePredictions.ts';

/** Options of every network of `applications`. */
export interface NetworkOptions {
  /** Whether to include the classification layers. Default true. */
  includeTop?: boolean;
  /**
   * Null, the default: random weights. Otherwise a file of weights, as for `loadWeights`; the function then returns a
   * promise. Trained weights of Keras are at https://storage.googleapis.com/tensorflow/keras-applications.
   */
  weights?: WeightsSource | null;
  /** [height, width, channels]; default: that of the published weights, or [null, null, 3] without the top. */
  inputShape?: OpenShape;
  /** A symbolic tensor to build upon, instead of `inputShape`. */
  inputTensor?: SymbolicTensor;
  /** Without the top: features as they are (null, the default), or each channel's mean or maximum. */
  pooling?: 'avg' | 'max' | null;
  /** Number of classes of the top. Default 1000; weights of ImageNet need that. */
  classes?: number;
  /** Activation of the top: a name, a function, or null for logits. Default 'softmax'. */
  classifierActivation?: ActivationLike | null;
  /** Makes random weights reproducible; layers differ from each other. Default: a random seed. */
  seed?: number;
  /** Initial values of every kernel. Default: those of the network's paper. */
  kernelInitializer?: InitializerLike;
  /** Name of the model. Default: that of the network. */
  name?: string;
}

/** A file of weights, as for `loadWeights`. */
export type WeightsSource = Parameters<Network['loadWeights']>[0];

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

/** A network of `applications`. */
export type Network = Functional<Tensor, Tensor>;

/** Creates a network; `preprocessInput` converts images to the range that it was trained on. */
export interface NetworkMaker<O extends NetworkOptions, P> {
  (options: O & { weights: WeightsSource }): Promise<Network>;
  (options?: O & { weights?: null }): Network;
  readonly preprocessInput: P;
  readonly decodePredictions: typeof decodePredictions;
}

/** The definition of a network. */
export interface NetworkKind<O extends NetworkOptions, P> {
  /** Names of the function, and of the network that it makes. */
  op: string;
  /** Names of options that other networks don't have. */
  own?: readonly string[];
  build(options: O): Network;
  preprocessInput: P;
}

/** The function that creates networks of a kind, with random weights or those of a file. */
export function defineNetwork<O extends NetworkOptions, P>(kind: NetworkKind<O, P>): NetworkMaker<O, P> {
  const { op, own = [], build, preprocessInput } = kind;
  const make = (...args: unknown[]) => {
    const options = byPosition(op, args, []) as O;
    checkNetwork(op, options, own);
    const network = build(options);
    const { weights = null } = options;
    return weights === null ? network : withWeights(network, weights);
  };
  return Object.assign(make, { preprocessInput, decodePredictions }) as NetworkMaker<O, P>;
}

async function withWeights(network: Network, source: WeightsSource): Promise<Network> {
  try {
    await network.loadWeights(source);
    return network;
  } catch (error) {
    network.dispose();
    throw error;
  }
}

/** Errors: ValueError for unknown options, ShapeError for a shape that isn't one of images. */
function checkNetwork(op: string, options: NetworkOptions, more: readonly string[]): void {
  checkOptions(op, options, [...Object.keys(networkOptionNames), ...more]);
  const { includeTop, weights = null, pooling = null, classes, seed } = options;
  if (weights === 'imagenet') {
    throw new ValueError({
      op,
      rule: '`weights` is null (random weights) or a file of weights; trained weights are not part of the library.',
      received: "weights: 'imagenet'",
      hint: 'pass the URL of such a file, a File or its bytes, and await the network.',
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
  if (includeTop === false && classes !== undefined) throw ofOthers(op, 'classes', classes, true);
  if (includeTop !== false && pooling !== null) throw ofOthers(op, 'pooling', pooling, false);
  if (classes !== undefined) requireInteger(op, 'classes', classes, 1);
  if (seed !== undefined) requireInteger(op, 'seed', seed, 0);
}

/** Returns the error for an option that only networks with, or without, their top read. */
function ofOthers(op: string, name: string, value: unknown, includeTop: boolean): ValueError {
  return new ValueError({
    op,
    rule: `\`${name}\` is an option of a network ${includeTop ? 'with' : 'without'} its top.`,
    received: `${name}: ${describe(value)}, includeTop: ${!includeTop}`,
    hint: `leave it out, or pass includeTop: ${includeTop}.`,
  });
}

/** The image sizes that a network accepts. */
interface PictureSizes {
  /** The size if there is no `inputShape`. Default 224. */
  size?: number;
  /** The smallest size. Default 32. */
  minSize?: number;
  /** Whether the classification layers take any size, too. Default false. */
  open?: boolean;
}

/** The images that the network accepts. */
export function imageOf(
  op: string,
  { includeTop = true, inputShape, inputTensor }: NetworkOptions,
  { size = 224, minSize = 32, open = false }: PictureSizes = {},
): SymbolicTensor {
  if (inputTensor) return inputTensor;
  const isOpen = open || !includeTop;
  const shape = inputShape ?? (isOpen ? [null, null, 3] : [size, size, 3]);
  requireImages(op, shape, minSize, isOpen);
  return input({ shape });
}

/** The network from `image`, or from the inputs that it was computed from, to `features`. */
export function networkOf(image: SymbolicTensor, features: SymbolicTensor, name: string): Network {
  const sources = getSourceInputs(image as never);
  return model({
    inputs: (sources.length === 1 ? sources[0] : sources) as SymbolicTensor,
    outputs: features,
    name,
  });
}

/** The features of a network without its top, pooled according to the options. */
export function pooled(
  features: SymbolicTensor,
  { pooling }: NetworkOptions,
  names: { avg?: string; max?: string } = {},
): SymbolicTensor {
  if (pooling === 'avg') return globalAveragePooling2d(named(names.avg)).apply(features);
  if (pooling === 'max') return globalMaxPooling2d(named(names.max)).apply(features);
  return features;
}

/** The option `name`, if it is given. */
export const named = (name: string | undefined) => (name === undefined ? {} : { name });

/** The activation of the top. */
export function topActivation({ classifierActivation }: NetworkOptions): ActivationLike | null {
  return classifierActivation === undefined ? 'softmax' : classifierActivation;
}

/** Larger than the number of layers of any network, so that layers never get equal values from different seeds. */
const maxLayers = 1024;

/**
 * Creates an initializer for each layer. With a seed, initializers differ by their position, so that no two layers draw the
 * same values.
 */
export function initializersOf({ seed, kernelInitializer }: NetworkOptions) {
  let place = 0;
  return (own: OwnInitializer): InitializerLike =>
    kernelInitializer ?? own({ seed: seed === undefined ? undefined : seed * maxLayers + place++ });
}

/** The initializer of a network's layers, for a seed. */
export type OwnInitializer = (options: { seed: number | undefined }) => Initializer;

function requireImages(op: string, shape: OpenShape, minSize: number, isOpen: boolean): void {
  const isSize = (n: unknown) => n === null || (Number.isInteger(n) && (n as number) > 0);
  const large = (n: number | null) => (n === null ? isOpen : n >= minSize);
  if (isListOf(shape, isSize, 3) && shape.length === 3) {
    const [height, width, channels] = shape as [number | null, number | null, number | null];
    if (large(height) && large(width) && channels !== null) return;
  }
  throw new ShapeError({
    op,
    rule: `\`inputShape\` is [height, width, channels], of at least ${minSize} pixels each way${isOpen ? ', or null for any' : ''}.`,
    received: describe(shape),
    hint: 'pass [224, 224, 3], or [null, null, 3] with includeTop: false.',
  });
}

/**
 * Zero padding before a strided 'valid' convolution, so that its windows are aligned as for the published weights: [[top,
 * bottom], [left, right]] for images of `shape` and square windows of `size`.
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
