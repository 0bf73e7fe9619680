import type { PadOptions } from '../../ops/arrangement/pad.ts';
import type { SliceOptions } from '../../ops/arrangement/slice.ts';
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
  type Op,
  opOf,
  type Options,
  said,
  same,
  unlike,
} from './formulaParts.ts';
import { stridedSliceOf } from './itemKeys.ts';
import { channelsFirstFormula, layerFormulas } from './layerFormulas.ts';

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
  ...same('arraySplit cross isClose:Isclose normalize bitwiseNot:BitwiseInvert'),
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
  ['Resize', ([x], options) => imageOf('resize')(x, lastChannels(options))],
  [
    'ScaleAndTranslate',
    ([x, shape, scale, translation], { spatialDims, method, ...options }) =>
      imageOf('scaleAndTranslate')(x, shape, scale, translation, spatialDims, method, options),
  ],
  ['SobelEdges', ([x], options) => imageOf('sobelEdges')(x, ...given(lastChannels(options)))],
  ['SSIM', ([x, y], options) => imageOf('ssim')(x, y, lastChannels(options))],
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
  ['RMSNorm', ([x, last], { scale = last ?? null, ...rest }) => opOf('rmsNormalization')(x, scale, rest)],
  ['LayerNorm', (args, { rmsScaling: _, ...rest }) => opOf('layerNorm')(...args, { epsilon, ...rest })],
  ['DotProductAttention', (args, options) => attended(args, options)],
  ...arrayFormulas,
  ...layerFormulas,
]);

export type { Formula };

/** Returns the formula of a class; null if there is none. */
export function formulaOf(className: string): Formula | null {
  const formula = formulas.get(className) ?? null;
  const first = channelsFirstFormula(className);
  if (!formula || !first) return formula;
  return (args, options) => (options.dataFormat === 'channels_first' ? first : formula)(args, options);
}

/** An op of ops.image. */
const imageOf = (name: string) => (ops.image as unknown as Readonly<Record<string, Op>>)[name] as Op;

const given = (options: Options) => (Object.keys(options).length > 0 ? [options] : []);

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

/** Errors: ValueError for a cap of the scores, which the op here doesn't support. */
function attended(args: readonly unknown[], options: Options): Nest<Tensor> {
  const [query, key, value, bias = null, mask = null, scale = null] = args;
  const { flashAttention: _, attnLogitsSoftCap: cap, ...rest } = options;
  if (cap !== undefined) throw unlike('dotProductAttention', 'scores have no cap.', { cap });
  return opOf('dotProductAttention')(query, key, value, { bias, mask, scale, ...rest });
}
