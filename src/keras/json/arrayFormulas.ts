/** @file Formulas of Keras's operations on arrays: its modules core, linalg, math and numpy. */
import type { Tensor } from '../../tensor/tensor.ts';
import * as ops from '../ops/index.ts';
import type { Nest } from '../tensorNest.ts';
import { type Formula, ofDType, opOf, said, same, unlike } from './formulaParts.ts';

/** Quantiles, whose `q` is an operand in Keras. */
const quantile =
  (op: string): Formula =>
  ([x, q], options) =>
    opOf(op)(x, { q, ...options });

/** Complex numbers, which are a pair in Keras. */
const ofPair =
  (op: string): Formula =>
  ([pair], options) =>
    opOf(op)(...(pair as readonly unknown[]), ...(Object.keys(options).length > 0 ? [options] : []));

/** Reductions of segments. Whether ids are in order changes nothing. */
const ofSegments =
  (op: string): Formula =>
  ([x, ids], { sorted: _, numSegments }) => {
    if (numSegments !== undefined) return opOf(op)(x, ids, { numSegments });
    throw unlike(op, 'the number of segments is an option, since it is a size of the result.', {
      numSegments: null,
    });
  };

/** Scans in another dtype. */
const scan =
  (op: string): Formula =>
  ([x], { dtype, ...options }) =>
    ofDType(opOf(op)(x, options) as Tensor, dtype);

export const arrayFormulas: readonly [string, Formula][] = [
  ...same('det inv luFactor qr solve solveTriangular eigh lstsq pinv cholesky logdet slogdet'),
  ...same('cdist:CDist extractSequences stft:STFT erfc erfinv kron gcd lcm i0 corrcoef correlate'),
  ...same('allClose:AllClose hsplit vsplit dsplit argpartition histogram vander'),
  ...same('nanArgMax:Nanargmax nanArgMin:Nanargmin nanMedian:Nanmedian unravelIndex scatterUpdate'),
  ['Meshgrid', (vectors, options) => opOf('meshgrid')(vectors, options)],
  ['CholeskyInverse', ([x], { upper }) => ops.choleskyInverse(upper ? turned(x as Tensor) : (x as Tensor))],
  ['SVD', ([x], options) => opOf('svd')(x, options)],
  ['MatrixRank', ([x], options) => opOf('matrixRank')(x, said(options))],
  ['SegmentSum', ofSegments('segmentSum')],
  ['SegmentMax', ofSegments('segmentMax')],
  ['SegmentMin', ofSegments('segmentMin')],
  ['SegmentProd', ofSegments('segmentProd')],
  ['FFT', ofPair('fft')],
  ['FFT2', ofPair('fft2')],
  ['IFFT2', ofPair('ifft2')],
  ['IRFFT', ofPair('irfft')],
  ['ISTFT', ofPair('istft')],
  ['Nancumsum', scan('nanCumsum')],
  ['Nancumprod', scan('nanCumprod')],
  ['Percentile', quantile('percentile')],
  ['Nanpercentile', quantile('nanPercentile')],
  ['Nanquantile', quantile('nanQuantile')],
  ['IsIn', ([x, y], { assumeUnique: _, ...options }) => opOf('isIn')(x, y, options)],
  ['Trapezoid', ([y], { x = null, ...options }) => opOf('trapezoid')(y, x, options)],
  [
    'Select',
    ([conditions, choices, otherwise], options) => chosen(conditions, choices, otherwise ?? options.default),
  ],
  ['Scatter', ([indices, values], { shape }) => opOf('scatterNd')(indices, values, { shape })],
  ['SliceUpdate', ([x, begin, updates]) => opOf('sliceUpdate')(x, updates, { begin })],
  ['Array', ([x], { dtype }) => ofDType(ops.copy(x as Tensor), dtype)],
  ['EmptyLike', ([x], { dtype }) => ofDType(ops.zerosLike(x as Tensor), dtype)],
  ...same('real conj conjugate imag isReal:Isreal angle saturateCast ctcLoss:CTCLoss'),
  ['Bincount', ([x], { sparse: _, ...options }) => opOf('bincount')(x, options)],
];

function turned(x: Tensor): Tensor {
  return ops.swapAxes(x, { axis1: -1, axis2: -2 });
}

function chosen(conditions: unknown, choices: unknown, otherwise: unknown): Nest<Tensor> {
  return ops.select(conditions as Tensor[], choices as Tensor[], (otherwise ?? 0) as number);
}
