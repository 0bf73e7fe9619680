/** @file Formulas of Keras's operations of layers and on images: its modules nn and image. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { Nest } from '../tensorNest.ts';
import { dimensions, type Formula, lastChannels, opOf, type Options, said, same } from './formulaParts.ts';
import * as ops from '../ops/index.ts';

const images = ops.image as unknown as Readonly<Record<string, (...args: unknown[]) => Nest<Tensor>>>;

/** Operations that take channels first, too, and the ops that compute them. */
const eitherFormat: ReadonlyMap<string, string> = new Map([
  ...['Conv', 'DepthwiseConv', 'SeparableConv', 'ConvTranspose', 'MaxPool', 'AveragePool'].map(opNamed),
  ...['AdaptiveMaxPool', 'AdaptiveAveragePool', 'Resize', 'ExtractPatches', 'GaussianBlur'].map(opNamed),
  ...['AffineTransform', 'PerspectiveTransform'].map(opNamed),
]);

function opNamed(className: string): readonly [string, string] {
  return [className, `${className[0]?.toLowerCase()}${className.slice(1)}`];
}

/** Returns the formula of a class for operations whose channels come first; null for a class that has only one. */
export function channelsFirstFormula(className: string): Formula | null {
  const op = eitherFormat.get(className);
  return op === undefined ? null : (args, options) => (images[op] ?? opOf(op))(...args, options);
}

/** An op on images with channels last, of `ops.image` or of `ops`. */
const withChannels =
  (op: string): Formula =>
  (args, options) =>
    (images[op] ?? opOf(op))(...args, lastChannels(options));

export const layerFormulas: readonly [string, Formula][] = [
  ...same('binaryCrossentropy categoricalCrossentropy sparseCategoricalCrossentropy psnr:PSNR unfold fold'),
  ['AdaptiveMaxPool', withChannels('adaptiveMaxPool')],
  ['AdaptiveAveragePool', withChannels('adaptiveAveragePool')],
  ['DepthwiseConv', withChannels('depthwiseConv')],
  ['SeparableConv', withChannels('separableConv')],
  ['ConvTranspose', (args, options) => transposedConvolution(args, lastChannels(options))],
  ['BatchNorm', (args, options) => normalized(args, options)],
  ['AffineTransform', withChannels('affineTransform')],
  ['PerspectiveTransform', withChannels('perspectiveTransform')],
  ['GaussianBlur', withChannels('gaussianBlur')],
  ['PadImages', withChannels('padImages')],
  ['CropImages', withChannels('cropImages')],
  [
    'MapCoordinates',
    ([x, coordinates], options) => images.mapCoordinates?.(x, stacked(coordinates), options) as Tensor,
  ],
];

/** Coordinates may be a list of tensors, one for each axis. */
function stacked(coordinates: unknown): unknown {
  return Array.isArray(coordinates) ? ops.stack(coordinates as Tensor[]) : coordinates;
}

function normalized(
  args: readonly unknown[],
  { offset = null, scale = null, ...options }: Options,
): Nest<Tensor> {
  const [x, mean, variance, first = offset, second = scale] = args;
  return opOf('batchNormalization')(x, mean, variance, first, second, said(options));
}

function transposedConvolution([x, kernel]: readonly unknown[], options: Options): Nest<Tensor> {
  const ops = { '1d': 'convTranspose', '': 'conv2dTranspose', '3d': 'conv3dTranspose' };
  return opOf(ops[dimensions(x as Tensor)])(x, kernel, options);
}
