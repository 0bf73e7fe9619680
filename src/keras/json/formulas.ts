/**
 * @file Keras operations that are formulas of several ops here, or ops with different operands. They are read from files, and
 * written as they were.
 */
import { requireOneOf } from '../../core/shape.ts';
import type { PadOptions, SliceOptions } from '../../ops/arrangement/slice.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ArraySplitOptions } from '../ops/arrangement.ts';
import * as ops from '../ops/index.ts';
import type { Nest } from '../tensorNest.ts';
import { arrayFormulas } from './arrayFormulas.ts';
import {
  dimensions,
  type Formula,
  imageOp,
  lastChannels,
  ofDType,
  opOf,
  type Options,
  said,
  same,
  unlike,
} from './formulaParts.ts';
import { stridedSliceOf } from './itemKeys.ts';
import { layerFormulas } from './layerFormulas.ts';

const formulas: ReadonlyMap<string, Formula> = new Map<string, Formula>([
  ...same('celu glu hardTanh tanhShrink hardShrink softShrink sparseSigmoid sparsePlus squareplus sparsemax'),
  ...same(
    'log2 log10 threshold cbrt deg2rad rad2deg exp2 trunc sinc signbit hypot fmod fmax fmin heaviside abs:Fabs',
  ),
  ...same('divideNoNan logAddExp:Logaddexp logAddExp2:Logaddexp2 isNegInf:Isneginf isPosInf:Isposinf ldexp'),
  ...same('copy max:Amax min:Amin countNonzero ptp diff median ravel flipud fliplr rot90 roll'),
  ...same('repeat tril triu diagonal trace diag diagflat moveAxis:Moveaxis swapAxes:Swapaxes'),
  ...same('hstack vstack dstack append inner outer dot vdot tensordot take argsort sort'),
  ...same('nanSum:Nansum nanProd:Nanprod nanMax:Nanmax nanMin:Nanmin nanMean:Nanmean nanVar:Nanvar'),
  ...same('nanStd:Nanstd'),
  ...same('arraySplit isClose:Isclose normalize bitwiseNot:BitwiseInvert'),
  ...same(
    'leftShift:BitwiseLeftShift rightShift:BitwiseRightShift searchSorted inTopK norm digitize takeAlongAxis max min round rfft:RFFT',
  ),
  ['GetItem', ([x, key]) => ops.stridedSlice(x as Tensor, stridedSliceOf(key))],
  ['Pad', ([x], options) => padded(x as Tensor, options)],
  ['Slice', ([x, begin], { shape }) => ops.slice(x as Tensor, { begin, size: shape } as SliceOptions)],
  ['RGBToGrayscale', ([x], options) => imageOp('rgbToGrayscale', x, options)],
  ['RGBToHSV', ([x], options) => imageOp('rgbToHsv', x, options)],
  ['HSVToRGB', ([x], options) => imageOp('hsvToRgb', x, options)],
  ['DepthToSpace', ([x], options) => imageOp('depthToSpace', x, options)],
  ['SpaceToDepth', ([x], options) => imageOp('spaceToDepth', x, options)],
  ['ExtractPatches', ([x], options) => imageOp('extractPatches', x, options)],
  ['Resize', ([x], options) => resized(x as Tensor, options)],
  ['MaxPool', ([x], options) => imageOp(`maxPool${dimensions(x as Tensor)}`, x, options)],
  ['AveragePool', ([x], options) => imageOp(`avgPool${dimensions(x as Tensor)}`, x, options)],
  ['Conv', ([x, kernel], options) => convolved(x as Tensor, kernel, options)],
  ['ZerosLike', ([x], { dtype }) => ofDType(ops.zerosLike(x as Tensor), dtype)],
  ['OnesLike', ([x], { dtype }) => ofDType(ops.onesLike(x as Tensor), dtype)],
  [
    'FullLike',
    ([x, value], { dtype }) => ofDType(ops.add(ops.zerosLike(x as Tensor), value as number), dtype),
  ],
  ['ConvertToTensor', ([x], { dtype }) => ofDType(ops.copy(x as Tensor), dtype)],
  ['Prod', ([x], { dtype, ...options }) => ofDType(ops.prod(x as Tensor, options), dtype)],
  ['Cumsum', ([x], { dtype, ...options }) => ofDType(ops.cumsum(x as Tensor, options), dtype)],
  ['Cumprod', ([x], { dtype, ...options }) => ofDType(ops.cumprod(x as Tensor, options), dtype)],
  ['Split', ([x], options) => ops.split(x as Tensor, options as unknown as ArraySplitOptions)],
  ['Einsum', (operands, { subscripts }) => ops.einsum(subscripts as string, ...(operands as Tensor[]))],
  ['OneHot', ([x], { numClasses, sparse: _, ...rest }) => opOf('oneHot')(x, { depth: numClasses, ...rest })],
  ['MultiHot', ([x], { numClasses }) => opOf('multiHot')(x, { numClasses })],
  [
    'NanToNum',
    ([x], { posinf, neginf, nan }) => opOf('nanToNum')(x, said({ nan, posInf: posinf, negInf: neginf })),
  ],
  ['Moments', ([x], { axes, keepDims }) => opOf('moments')(x, said({ axis: axes, keepDims }))],
  ['Quantile', ([x, q], options) => opOf('quantile')(x, { ...options, q })],
  ['Average', ([x, last], { weights = last ?? null, ...rest }) => opOf('average')(x, weights, rest)],
  ['Cross', ([x, y], options) => crossed(x as Tensor, y as Tensor, options)],
  ['RMSNorm', ([x, last], { scale = last ?? null, ...rest }) => opOf('rmsNormalization')(x, scale, rest)],
  ['LayerNorm', (args, { rmsScaling: _, ...rest }) => opOf('layerNorm')(...args, { epsilon, ...rest })],
  ['DotProductAttention', (args, options) => attended(args, options)],
  ...arrayFormulas,
  ...layerFormulas,
]);

export type { Formula };

/** Returns the formula of a class; null if there is none. */
export function formulaOf(className: string): Formula | null {
  return formulas.get(className) ?? null;
}

/** Keras's default for the functions of its layers. */
const epsilon = 1e-7;

/** `padWidth` is one width for all sides, a pair for all axes, or a pair for each axis. */
function padded(x: Tensor, { padWidth, mode, constantValues }: Options): Tensor {
  const given = [padWidth].flat() as (number | readonly number[])[];
  const pair = ([before = 0, after = before]: readonly number[]) => [before, after];
  const isOfAll = given.every((width) => typeof width === 'number');
  const pairs = isOfAll ? [pair(given as number[])] : given.map((width) => pair([width].flat()));
  const paddings = pairs.length === 1 ? x.shape.map(() => pairs[0] as number[]) : pairs;
  return ops.pad(x, { paddings, ...said({ mode, constantValue: constantValues }) } as PadOptions);
}

function convolved(x: Tensor, kernel: unknown, options: Options): Nest<Tensor> {
  return opOf(`conv${dimensions(x) || '2d'}`)(x, kernel, lastChannels(options));
}

/** Errors: ValueError for axes that differ between the operands. */
function crossed(x: Tensor, y: Tensor, { axisa, axisb, axisc, axis = axisa }: Options): Tensor {
  if ([axisa, axisb, axisc].every((given) => given === axisa))
    return ops.cross(x, y, { axis: axis as number });
  throw unlike('cross', 'both operands and the result have the same axis.', { axisa, axisb, axisc });
}

/** Errors: ValueError for a cap of the scores, which the op here doesn't support. */
function attended(args: readonly unknown[], options: Options): Nest<Tensor> {
  const [query, key, value, bias = null, mask = null, scale = null] = args;
  const { flashAttention: _, attnLogitsSoftCap: cap, ...rest } = options;
  if (cap !== undefined) throw unlike('dotProductAttention', 'scores have no cap.', { cap });
  return opOf('dotProductAttention')(query, key, value, { bias, mask, scale, ...rest });
}

function resized(x: Tensor, options: Options): Tensor {
  const { size, interpolation = 'bilinear', fillMode: _, fillValue: __, ...rest } = lastChannels(options);
  requireOneOf('resize', 'interpolation', interpolation, ['bilinear', 'nearest']);
  const isPlain = Object.values(rest).every((value) => value === false);
  if (!isPlain) throw unlike('resize', 'images are resized as they are, without smoothing.', rest);
  return opOf(interpolation === 'nearest' ? 'resizeNearest' : 'resizeBilinear')(x, {
    size,
    halfPixelCenters: true,
  }) as Tensor;
}
