/** @file Ops that Keras has under other names, with their options. */
import { kerasClass } from '../graph/opNames.ts';
import type { Json, JsonObject } from './document.ts';
import { keyOfSlice, keyOfStridedSlice } from './itemKeys.ts';

/** Options of an op in its call, and their description in a document. */
export interface WrittenOptions {
  readonly config?: JsonObject;
  /** Arguments after the operands. */
  readonly args?: readonly Json[];
  readonly kwargs?: JsonObject;
}

/** An op here and in Keras. */
export interface OperationEntry {
  readonly op: string;
  readonly className: string;
  readonly module: string;
  /** Options here, by Keras's names. */
  readonly options: Readonly<Record<string, string>>;
  /** Options of Keras that don't exist here, with the value that is written for them. */
  readonly constants?: JsonObject;
  /** Whether it is read as a formula, since a call of the op would be several operations. */
  readonly isFormula?: boolean;
  /** Whether its operands are one list. */
  readonly list?: boolean;
  /** Writes the options, if they don't just have other names; null if Keras has none like them. Such an op is read as a formula. */
  readonly write?: (options: Readonly<Record<string, unknown>>) => WrittenOptions | null;
}

const numpy = 'keras.src.ops.numpy';
const nn = 'keras.src.ops.nn';
const math = 'keras.src.ops.math';
const core = 'keras.src.ops.core';

/** Ops of a module, `op` or `op:Class` for another class than the op usually has, separated by spaces. */
function entries(
  module: string,
  names: string,
  options: OperationEntry['options'] = {},
  more?: Partial<OperationEntry>,
): OperationEntry[] {
  return names.split(' ').map((name) => {
    const [op, className = kerasClass(op)] = name.split(':') as [string, string?];
    return { op, className, module, options, ...more };
  });
}

const blocks = { block_size: 'blockSize' };
/** Ops that are formulas of several ops, or have other options in Keras: they are read as one operation. */
function formulas(...args: Parameters<typeof entries>): OperationEntry[] {
  return entries(...args).map((entry) => ({ ...entry, isFormula: true }));
}

const along = { axis: 'axis', keepdims: 'keepDims' };

/** If an op has two classes, the first is written. */
export const operationTable: readonly OperationEntry[] = [
  ...entries(numpy, 'add sub mul div div:TrueDivide pow maximum minimum'),
  ...entries(numpy, 'mod floorDiv equal notEqual greater greaterEqual less lessEqual'),
  ...entries(numpy, 'logicalAnd logicalOr logicalNot logicalXor where neg abs abs:Abs exp'),
  ...entries(numpy, 'expm1 log log1p sqrt square reciprocal sign floor ceil sin cos tan sinh cosh tanh'),
  ...entries(numpy, 'asin acos atan atan2 asinh acosh'),
  ...entries(numpy, 'atanh isNaN isInf isFinite matMul'),
  ...entries(numpy, 'sum mean variance std any all', along),
  ...entries(numpy, 'prod', along, { constants: { dtype: null } }),
  ...entries(numpy, 'cumsum cumprod', { axis: 'axis' }, { constants: { dtype: null } }),
  ...entries(numpy, 'round', {}, { constants: { decimals: 0 } }),
  ...entries(numpy, 'zerosLike onesLike', {}, { constants: { dtype: null } }),
  ...entries(numpy, 'bitwiseAnd bitwiseOr bitwiseXor bitwiseNot leftShift rightShift'),
  ...entries(numpy, 'max min', along, { constants: { initial: null } }),
  ...entries(numpy, 'argMax argMin', along),
  ...entries(numpy, 'expandDims squeeze flip gather takeAlongAxis', { axis: 'axis' }),
  ...entries(numpy, 'concat stack', { axis: 'axis' }, { list: true }),
  ...entries(numpy, 'reshape', { newshape: 'shape' }),
  ...entries(numpy, 'transpose', { axes: 'perm' }),
  ...entries(numpy, 'tile', { repeats: 'reps' }),
  ...entries(numpy, 'broadcastTo', { shape: 'shape' }),
  ...entries(numpy, 'pad', {}, { write: padding }),
  ...entries(numpy, 'slice', {}, { write: keyOfSlice }),
  ...entries(numpy, 'stridedSlice', {}, { write: keyOfStridedSlice }),
  ...entries(numpy, 'clip', { x_min: 'min', x_max: 'max' }),
  ...entries(numpy, 'identity:Copy'),
  ...formulas(numpy, 'log2 log10 logAddExp:Logaddexp'),
  ...formulas(numpy, 'roll', { shift: 'shift', axis: 'axis' }),
  ...formulas(numpy, 'repeat', { repeats: 'repeats', axis: 'axis' }),
  ...formulas(numpy, 'tril triu diag', { k: 'k' }),
  ...formulas(numpy, 'diagonal trace', { offset: 'offset', axis1: 'axis1', axis2: 'axis2' }),
  ...formulas(numpy, 'swapAxes:Swapaxes', { axis1: 'axis1', axis2: 'axis2' }),
  ...formulas(numpy, 'moveAxis:Moveaxis', { source: 'source', destination: 'destination' }),
  ...formulas(numpy, 'median', along),
  ...formulas(numpy, 'sort argsort', { axis: 'axis' }),
  ...formulas(numpy, 'tensordot', { axes: 'axes' }),
  ...formulas(numpy, 'einsum', { subscripts: 'equation' }),
  ...formulas(numpy, 'quantile', {}, { write: quantiles }),
  ...formulas(numpy, 'split', {}, { write: splitting }),
  ...formulas(nn, 'depthToSpace spaceToDepth', blocks, { constants: { data_format: 'channels_last' } }),
  ...formulas(math, 'rfft:RFFT', { fft_length: 'fftLength' }),
  ...entries(math, 'rsqrt erf'),
  ...entries(math, 'logSumExp', along),
  ...entries(math, 'topK', { k: 'k', sorted: 'sorted' }),
  ...entries(nn, 'relu relu6 sigmoid softplus softsign silu logSigmoid hardSigmoid hardSwish selu'),
  ...entries(nn, 'mish'),
  ...entries(nn, 'leakyRelu', { negative_slope: 'negativeSlope' }),
  ...entries(nn, 'elu', { alpha: 'alpha' }),
  ...entries(nn, 'gelu', { approximate: 'approximate' }),
  ...entries(nn, 'softmax logSoftmax', { axis: 'axis' }),
  ...entries(core, 'cast', { dtype: 'dtype' }),
  ...entries(core, 'stopGradient'),
  ...entries(core, 'unstack', { axis: 'axis' }, { constants: { num: null } }),
];

/** Default values of options whose default isn't null. */
export const operationDefaults: Readonly<Record<string, Json>> = {
  'concat.axis': 0,
  'stack.axis': 0,
  'gather.axis': 0,
  'cumsum.axis': 0,
  'cumprod.axis': 0,
  'takeAlongAxis.axis': 0,
  'unstack.axis': 0,
  'tril.k': 0,
  'triu.k': 0,
  'diag.k': 0,
  'diagonal.offset': 0,
  'diagonal.axis1': 0,
  'diagonal.axis2': 1,
  'trace.offset': 0,
  'trace.axis1': 0,
  'trace.axis2': 1,
  'sort.axis': -1,
  'argsort.axis': -1,
  'tensordot.axes': 2,
  'topK.k': 1,
  'topK.sorted': true,
  'softmax.axis': -1,
  'logSoftmax.axis': -1,
  'leakyRelu.negativeSlope': 0.2,
  'elu.alpha': 1,
  'gelu.approximate': false,
};

function quantiles({
  q,
  axis = null,
  method = 'linear',
  keepDims: keepdims = false,
}: Readonly<Record<string, unknown>>): WrittenOptions {
  return { config: { axis, method, keepdims } as JsonObject, args: [q as Json] };
}

/** Keras has the indices at which parts begin, not their sizes. */
function splitting({
  numOrSizeSplits,
  indicesOrSections = indicesOf(numOrSizeSplits),
  axis = 0,
}: Readonly<Record<string, unknown>>): WrittenOptions | null {
  if (indicesOrSections === null) return null;
  return { config: { indices_or_sections: indicesOrSections as Json, axis: axis as Json } };
}

/** Returns null if a size other than the last is inferred. */
function indicesOf(sizes: unknown): unknown {
  if (!Array.isArray(sizes)) return sizes;
  const first: number[] = sizes.slice(0, -1);
  if (first.includes(-1)) return null;
  return first.map((_, i) => first.slice(0, i + 1).reduce((sum, size) => sum + size));
}

function padding({ paddings, mode, constantValue }: Readonly<Record<string, unknown>>): WrittenOptions {
  return {
    config: { pad_width: paddings as Json, mode: (mode ?? 'constant') as Json },
    kwargs: { constant_values: (constantValue ?? null) as Json },
  };
}
