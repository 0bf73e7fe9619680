/** @file Reductions, softmax, scans, sorted selections. */
import { Tensor } from '../../../../src/index.ts';
import {
  defineShim,
  type Loose,
  native,
  rejectUnless,
  requireFloat,
  sayAlso,
  toFloat,
  toNumber,
  toTensor,
} from './call.ts';
import { notOffered } from './notOffered.ts';

type Shim = (...args: Loose[]) => Loose;

const reduction = (name: string, prepare: (x: Loose) => Loose): Shim =>
  defineShim(name, ['x'], (x, axis = null, keepDims = false) => native(name)(prepare(x), { axis, keepDims }));

export const sum = reduction('sum', toNumber);
export const prod = reduction('prod', toNumber);
export const max = reduction('max', toNumber);
export const min = reduction('min', toNumber);
export const mean = reduction('mean', toFloat);
export const logSumExp = reduction('logSumExp', toFloat);

const ofBools = (name: string): Shim =>
  defineShim(name, ['x:bool'], (x, axis = null, keepDims = false) =>
    native(name)(toTensor(x, 'bool'), { axis, keepDims }),
  );
export const all = ofBools('all');
export const any = ofBools('any');

const position = (name: string): Shim =>
  defineShim(name, ['x'], (x, axis = 0) => native(name)(toNumber(x), { axis: axis ?? 0 }));
export const argMax = position('argMax');
export const argMin = position('argMin');

export const moments = defineShim('moments', ['x'], (value, axis = null, keepDims = false) => {
  const x = toFloat(value);
  const options = { axis, keepDims };
  return { mean: native('mean')(x, options), variance: native('variance')(x, options) };
});

export const softmax = defineShim('softmax', ['logits:float32'], (value, dim = -1) => {
  const x = toTensor(value);
  const result = native('softmax')(x, { axis: dim });
  requireFloat('softmax', 'logits', x);
  if (dim !== -1 && dim !== x.rank - 1)
    notOffered('softmax confined to the last axis: the library takes any, a rejection');
  return result;
});

export const logSoftmax = defineShim('logSoftmax', ['logits'], (value, axis = -1) => {
  const x = toFloat(value);
  const result = native('logSoftmax')(x, { axis });
  if (axis !== -1 && axis !== x.rank - 1)
    notOffered('logSoftmax confined to the last axis: the library takes any, a rejection');
  return result;
});

export const cumsum = defineShim('cumsum', ['x'], (x, axis = 0, exclusive = false, reverse = false) =>
  native('cumsum')(toNumber(x), { axis, exclusive, reverse }),
);

export const topk = defineShim('topk', ['x'], (value, k = 1, sorted = true) => {
  const x = toTensor(value);
  const [values, indices] = native('topK')(x, { k, sorted });
  return { values, indices };
});
sayAlso('topk', ([x, k]) => [
  'topk() expects the input to be of rank 1 or higher',
  `'k' passed to topk() must be >= 0, but got ${k}`,
  `'k' passed to topk() must be <= the last dimension (${x instanceof Tensor ? x.shape.at(-1) : '?'}), but got ${k}`,
]);

export const unsortedSegmentSum = defineShim(
  'unsortedSegmentSum',
  ['x', 'segmentIds:int32'],
  (value, ids, numSegments) => {
    const [x, segmentIds] = [toTensor(value), toTensor(ids, 'int32')];
    rejectUnless(Number.isInteger(numSegments), 'numSegments must be of dtype int');
    return native('segmentSum')(x, segmentIds, { numSegments });
  },
);
