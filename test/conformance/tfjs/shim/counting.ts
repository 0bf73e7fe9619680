/** @file Counts, selections by value, updates at indices. */
import { Tensor } from '../../../../src/index.ts';
import { defineShim, type Loose, native, rejectUnless, requireRank, sayOnly, toTensor } from './call.ts';
import { notOffered } from './notOffered.ts';
import { ownedByTest } from './testScope.ts';

const bincount = defineShim('bincount', ['x', 'weights'], (x, weights, size) => {
  const given = toTensor(weights);
  return native('bincount')(toTensor(x), given.size === 0 ? null : given, { size, validateIndices: false });
});
export { bincount };

/** Rows of a matrix are counted separately; with `binaryOutput`, bins are 0 or 1. */
export const denseBincount = defineShim(
  'denseBincount',
  ['x', 'weights'],
  (value, given, size, binaryOutput = false) => {
    const [x, weights] = [toTensor(value), toTensor(given)];
    rejectUnless(x.dtype === 'int32', `input dtype must be int32, but got ${x.dtype}`);
    requireRank(x, [0, 1, 2], `input must be at most rank 2, but got rank ${x.rank}.`);
    rejectUnless(size >= 0, `size must be non-negative, but got ${size}.`);
    rejectUnless(weights.size === x.size || weights.size === 0, 'weights must have the same shape as x');
    const rows = x.rank === 2 ? x.shape[0] : 1;
    const isCounted = native('logicalAnd')(native('greaterEqual')(x, 0), native('less')(x, size));
    const firsts = native('mul')(native('range')(0, rows, 1, { dtype: 'int32' }), size);
    const first = x.rank === 2 ? native('expandDims')(firsts, { axis: 1 }) : firsts;
    const bins = native('reshape')(native('where')(isCounted, native('add')(x, first), -1), { shape: [-1] });
    const flat = weights.size === 0 || binaryOutput ? null : native('reshape')(weights, { shape: [-1] });
    const counts = native('bincount')(bins, flat, { size: rows * size });
    const shape = x.rank === 2 ? [rows, size] : [size];
    const shaped = native('reshape')(counts, { shape });
    const found = binaryOutput ? native('minimum')(shaped, 1) : shaped;
    return native('cast')(found, weights.dtype);
  },
);

export const math = {
  confusionMatrix: defineShim('confusionMatrix', ['labels', 'predictions'], (first, second, numClasses) => {
    rejectUnless(
      numClasses === undefined || numClasses === null || (numClasses > 0 && Number.isInteger(numClasses)),
      `If provided, numClasses must be a positive integer, but got ${numClasses}`,
    );
    const [labels, predictions] = [first, second].map((x) => toTensor(x));
    for (const x of [labels, predictions])
      requireRank(x, [1], `Expected the rank of labels and predictions to be 1, but got ${x.rank}`);
    rejectUnless(
      labels.size === predictions.size,
      `Mismatch in the number of examples: ${labels.size} vs. ${predictions.size}.`,
    );
    rejectUnless(numClasses > 0, `numClasses is required to be a positive integer, but got ${numClasses}`);
    const asInt = (x: Loose) => native('cast')(x, 'int32');
    return native('confusionMatrix')(asInt(labels), asInt(predictions), null, {
      numClasses,
      validateIndices: false,
    });
  }),
};

/** TF.js resolves a promise of host values. */
export const inTopKAsync = async (predictions: Loose, targets: Loose, k = 1): Promise<Loose> =>
  defineShim('inTopK', ['predictions', 'targets'], (first, second) => {
    const [scores, classes] = [toTensor(first), toTensor(second)];
    rejectUnless(
      scores.rank > 1,
      `inTopK() expects the predictions to be of rank 2 or higher, but got ${scores.rank}`,
    );
    rejectUnless(
      scores.rank - 1 === classes.rank,
      `predictions rank should be 1 larger than targets rank, but got predictions rank ${scores.rank} and targets rank ${classes.rank}`,
    );
    const last = scores.shape.at(-1);
    rejectUnless(
      String(scores.shape.slice(0, -1)) === String(classes.shape),
      `predictions's shape should be align with the targets' shape, except the last dimension. Shapes ${scores.shape.slice(0, -1)} and ${classes.shape} must match`,
    );
    rejectUnless(
      k > 0 && k <= last,
      `'k' passed to inTopK() must be > 0 && <= the predictions last dimension (${last}), but got ${k}`,
    );
    return native('inTopK')(native('cast')(classes, 'int32'), scores, { k });
  })(predictions, targets);

/** Wraps an asynchronous function of the library, whose tensors the test owns. */
async function awaited(
  name: string,
  parameters: string[],
  args: Loose[],
  call: () => unknown,
): Promise<Loose> {
  const promise = defineShim(name, parameters, () => [call()])(...args)[0];
  return ownedByTest(await promise);
}

export const booleanMaskAsync = async (tensor: Loose, mask: Loose, axis?: number): Promise<Loose> => {
  const [x, chosen] = [toTensor(tensor), toTensor(mask, 'bool')];
  if (chosen instanceof Tensor && x instanceof Tensor) {
    rejectUnless(chosen.rank > 0, 'mask cannot be scalar');
    const covered = x.shape.slice(axis ?? 0, (axis ?? 0) + chosen.rank);
    rejectUnless(
      String(covered) === String(chosen.shape),
      `mask's shape must match the first K dimensions of tensor's shape, Shapes ${covered} and ${chosen.shape} must match`,
    );
  }
  return awaited('boolMask', ['tensor', 'mask:bool'], [tensor, mask], () =>
    native('booleanMask')(x, chosen, { axis: axis ?? 0 }),
  );
};

export const whereAsync = async (condition: Loose): Promise<Loose> => {
  const x = toTensor(condition, 'bool');
  rejectUnless(
    !(x instanceof Tensor) || x.dtype === 'bool',
    `Argument 'condition' passed to 'whereAsync' must be bool tensor, but got ${x?.dtype} tensor`,
  );
  return awaited('whereAsync', ['condition:bool'], [condition], () => native('nonzero')(x));
};

/** Returns the values of x that aren't in y, from two lists that are read back. */
export const setdiff1dAsync = async (first: Loose, second: Loose): Promise<Loose> => {
  const [x, y] = [toTensor(first), toTensor(second)];
  rejectUnless(
    x.dtype === y.dtype,
    `x and y should have the same dtype, but got x (${x.dtype}) and y (${y.dtype}).`,
  );
  rejectUnless(x.rank === 1, `x should be 1D tensor, but got x (${x.shape}).`);
  rejectUnless(y.rank === 1, `y should be 1D tensor, but got y (${y.shape}).`);
  const column = native('expandDims')(x, { axis: 1 });
  const isNew = native('logicalNot')(native('any')(native('equal')(column, y), { axis: 1 }));
  const places = native('range')(0, x.size, 1, { dtype: 'int32' });
  return ownedByTest([await native('booleanMask')(x, isNew), await native('booleanMask')(places, isNew)]);
};

export const tensorScatterUpdate = defineShim(
  'tensorScatterUpdate',
  ['tensor', 'indices:int32', 'updates'],
  (tensor, given, updates) => {
    const indices = toTensor(given, 'int32');
    const vector = indices instanceof Tensor && indices.rank === 1;
    const coordinates = vector ? native('reshape')(indices, { shape: [-1, 1] }) : indices;
    return native('tensorScatterUpdate')(toTensor(tensor), coordinates, toTensor(updates));
  },
);

/** Values at coordinates, and a default elsewhere. */
export const sparseToDense = defineShim(
  'sparseToDense',
  ['sparseIndices:int32', 'sparseValues:string_or_numeric', '', 'defaultValue'],
  (given, sparseValues, shape, defaultValue = 0) => {
    const indices = toTensor(given, 'int32');
    const values = toTensor(sparseValues);
    const fallback = toTensor(defaultValue, values.dtype);
    rejectUnless(indices.dtype === 'int32', 'indices must be int32');
    rejectUnless(indices.rank <= 2 && values.rank <= 1 && fallback.rank === 0, 'ranks');
    rejectUnless(fallback.dtype === values.dtype, 'dtypes of values and default');
    const count = indices.rank > 0 ? indices.shape[0] : 1;
    const depth = indices.rank > 1 ? indices.shape[1] : 1;
    rejectUnless(
      shape.length === depth,
      `outputShape has incorrect number of elements: ${shape.length}, should be ${depth}`,
    );
    rejectUnless(
      values.rank === 0 || values.size === count,
      `sparseValues has incorrect shape ${values.shape}, should be [] or [${count}]`,
    );
    const coordinates = native('reshape')(indices, { shape: [count, depth] });
    const whole = native('broadcastTo')(fallback, { shape });
    const rows = native('broadcastTo')(values, { shape: [count] });
    const asBool = values.dtype === 'bool';
    const number = (x: Loose) => (asBool ? native('cast')(x, 'int32') : x);
    const dense = native('tensorScatterUpdate')(number(whole), coordinates, number(rows));
    return asBool ? native('cast')(dense, 'bool') : dense;
  },
);

export const unique = (): never => notOffered('a synchronous unique: its shape depends on values');

const position = (side: 'left' | 'right') => (name: string) =>
  defineShim(name, ['sortedSequence', 'values'], (sequence, wanted) => {
    const [sorted, values] = [toTensor(sequence), toTensor(wanted)];
    const [n, count] = [sorted.shape.at(-1) ?? 1, values.shape.at(-1) ?? 1];
    const rows = native('reshape')(sorted, { shape: [-1, n] });
    const asked = native('reshape')(values, { shape: [-1, count] });
    rejectUnless(
      rows.shape[0] === asked.shape[0],
      "Leading dimension of 'sortedSequence' and 'values' must match.",
    );
    rejectUnless(values.size < 2 ** 31 && n < 2 ** 31, 'sizes');
    const found = native('unstack')(rows).map((row: Loose, i: number) =>
      native('searchSorted')(row, native('unstack')(asked)[i], { side }),
    );
    return native('reshape')(native('stack')(found), { shape: values.shape });
  });
export const searchSorted = (sequence: Loose, values: Loose, side: 'left' | 'right' = 'left'): Loose =>
  position(side)('searchSorted')(sequence, values);
export const lowerBound = position('left')('lowerBound');
export const upperBound = position('right')('upperBound');

export const cumprod = defineShim('cumprod', ['x'], (x, axis = 0, exclusive = false, reverse = false) =>
  native('cumprod')(
    native('cast')(toTensor(x), x instanceof Tensor && x.dtype === 'int32' ? 'int32' : 'float32'),
    {
      axis,
      exclusive,
      reverse,
    },
  ),
);

const blocks = (name: string, native_: string, option: 'crops' | 'paddings') =>
  defineShim(name, ['x'], (x, blockShape, pairs) =>
    native(native_)(toTensor(x), { blockShape, [option]: pairs }),
  );
export const spaceToBatchND = blocks('spaceToBatchND', 'spaceToBatch', 'paddings');
export const batchToSpaceND = blocks('batchToSpaceND', 'batchToSpace', 'crops');
sayOnly('spaceToBatchND', ([x, blockShape, paddings]) => {
  if (!(x instanceof Tensor)) return null;
  if (x.rank <= blockShape.length)
    return `input rank ${x.rank} should be > than [blockShape] ${blockShape.length}`;
  if (paddings.length !== blockShape.length)
    return `paddings.shape[0] ${paddings.length} must be equal to [blockShape] ${blockShape.length}`;
  return `input spatial dimensions ${x.shape.slice(1)} with paddings ${paddings} must be divisible by blockShapes ${blockShape}`;
});
sayOnly('batchToSpaceND', ([x, blockShape, crops]) => {
  if (!(x instanceof Tensor)) return null;
  if (x.rank <= blockShape.length)
    return `input rank is ${x.rank} but should be > than blockShape.length ${blockShape.length}`;
  if (crops.length !== blockShape.length)
    return `crops.length is ${crops.length} but should be equal to blockShape.length  ${blockShape.length}`;
  const places = blockShape.reduce((a: number, b: number) => a * b, 1);
  return `input tensor batch is ${x.shape[0]} but is not divisible by the product of the elements of blockShape ${blockShape.join(' * ')} === ${places}`;
});
