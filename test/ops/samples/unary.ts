import { DTypeError, ValueError } from '../../../src/core/errors.ts';
import type { DType } from '../../../src/core/dtype.ts';
import type { BadCase, InputSample, OpCase, OpSamples } from './types.ts';

const shapes = [[7], [2, 3, 5], [], [0, 3], [1, 1, 2, 1, 3, 2]];

interface Domain {
  low?: number;
  high?: number;
  /** For ops with kinks: how many values; none is an integer, where the kinks are. */
  offIntegers?: boolean;
  options?: readonly object[];
  /** Dtypes it accepts in addition to float32. */
  also?: readonly DType[];
  /** Dtypes that it must reject. Default: int32 and bool, where not taken. */
  carriesNaN?: boolean;
  /** False for functions without a gradient. */
  gradient?: boolean;
  bad?: readonly BadCase[];
}

/** Values a little off the ties of rounding: neither an integer nor a half is within the reach of a difference. */
function offIntegers(shape: readonly number[]): InputSample {
  const size = shape.reduce((product, n) => product * n, 1);
  return { shape, values: Array.from({ length: size }, (_, i) => ((i * 7) % 11) - 5 + 0.2 + 0.05 * (i % 3)) };
}

function unary(op: string, domain: Domain = {}): OpSamples {
  const { low = -2, high = 2, options = [{}], also = [], carriesNaN = true, gradient = true } = domain;
  const floats = shapes.map(
    (shape, i): OpCase => ({
      inputs: [domain.offIntegers ? offIntegers(shape) : { shape, low, high }],
      options: options[i % options.length] as object,
      carriesNaN,
      gradient,
    }),
  );
  const integers = also.map((dtype): OpCase => ({ inputs: [{ shape: [3, 3], dtype, low: 0, high: 5 }] }));
  const rejected = (['int32', 'uint32', 'bool'] as const).filter((dtype) => !also.includes(dtype));
  const wrongDType = rejected.map(
    (dtype): BadCase => ({
      why: dtype,
      inputs: [{ shape: [2], dtype }],
      error: DTypeError,
      message: /dtype/,
    }),
  );
  return { op, cases: [...floats, ...integers], bad: [...wrongDType, ...(domain.bad ?? [])] };
}

const badOption = (name: string, value: unknown, error = ValueError): BadCase => ({
  why: `${name} ${String(value)}`,
  inputs: [{ shape: [2] }],
  options: { [name]: value },
  error,
  message: new RegExp(name),
});
const notFinite = [Number.NaN, Number.POSITIVE_INFINITY, 'steep', null];

export const samples: OpSamples[] = [
  unary('neg', { also: ['int32'] }),
  unary('abs', { offIntegers: true, also: ['int32'] }),
  unary('sign', { offIntegers: true, also: ['int32'] }),
  unary('floor', { offIntegers: true }),
  unary('ceil', { offIntegers: true }),
  unary('round', { offIntegers: true }),
  unary('step', {
    offIntegers: true,
    also: ['int32'],
    options: [{}, { alpha: 0.5 }],
    bad: notFinite.map((value) => badOption('alpha', value)),
  }),
  unary('square', { also: ['int32', 'uint32'] }),
  unary('sqrt', { low: 0.3, high: 4 }),
  unary('rsqrt', { low: 0.3, high: 4 }),
  unary('reciprocal', { low: 0.5, high: 2 }),
  unary('exp'),
  unary('expm1'),
  unary('log', { low: 0.3, high: 4 }),
  unary('log1p', { low: -0.6, high: 3 }),
  unary('sin'),
  unary('cos'),
  unary('tan', { low: -1, high: 1 }),
  unary('asin', { low: -0.8, high: 0.8 }),
  unary('acos', { low: -0.8, high: 0.8 }),
  unary('atan'),
  unary('sinh'),
  unary('cosh'),
  unary('tanh'),
  unary('asinh'),
  unary('acosh', { low: 1.5, high: 4 }),
  unary('atanh', { low: -0.8, high: 0.8 }),
  unary('erf'),
  unary('sigmoid'),
  unary('logSigmoid'),
  unary('softplus'),
  unary('softsign', { offIntegers: true }),
  unary('silu'),
  unary('mish'),
  unary('gelu', {
    options: [{}, { approximate: true }, { approximate: false }],
    bad: [badOption('approximate', 'tanh'), badOption('approximate', 1)],
  }),
  unary('relu', { offIntegers: true, also: ['int32'] }),
  unary('relu6', { offIntegers: true, also: ['int32'] }),
  unary('leakyRelu', {
    offIntegers: true,
    options: [{}, { negativeSlope: 0.1 }, { negativeSlope: 0 }],
    bad: [...notFinite, -0.1].map((value) => badOption('negativeSlope', value)),
  }),
  unary('elu', {
    offIntegers: true,
    options: [{}, { alpha: 0.5 }, { alpha: 1.7 }],
    bad: [...notFinite, -1].map((value) => badOption('alpha', value)),
  }),
  unary('selu', { offIntegers: true }),
  unary('hardSigmoid', { offIntegers: true }),
  unary('hardSwish', { offIntegers: true }),
  unary('isNaN', { carriesNaN: false }),
  unary('isInf', { carriesNaN: false }),
  unary('isFinite', { carriesNaN: false }),
  {
    op: 'logicalNot',
    cases: shapes.map((shape) => ({ inputs: [{ shape, dtype: 'bool' }] })),
    bad: (['float32', 'int32', 'uint32'] as const).map((dtype) => ({
      why: dtype,
      inputs: [{ shape: [2], dtype }],
      error: DTypeError,
    })),
  },
  ...(['zerosLike', 'onesLike'] as const).map(
    (op): OpSamples => ({
      op,
      cases: [
        { inputs: [{ shape: [2, 3] }], carriesNaN: false },
        { inputs: [{ shape: [], dtype: 'bool' }] },
        { inputs: [{ shape: [0, 2], dtype: 'uint32' }] },
        { inputs: [{ shape: [5], dtype: 'int32' }] },
      ],
      bad: [],
    }),
  ),
];
