/** @file Ops that move values: reshapes, slices, gathers. */
import { Tensor } from '../../../../src/index.ts';
import {
  defineShim,
  type Loose,
  native,
  rejectUnless,
  requireRank,
  sayAlso,
  sayOnly,
  toTensor,
  toTensors,
} from './call.ts';
import { knownVector } from './creation.ts';

type Shim = (...args: Loose[]) => Loose;

export const reshape = defineShim('reshape', ['x:string_or_numeric'], (x, shape) =>
  native('reshape')(toTensor(x), { shape }),
);
sayAlso('reshape', () => ['Size must match; only one output dimension may be -1.']);

export const transpose = defineShim('transpose', ['x'], (value, perm) => {
  const x = toTensor(value);
  return native('transpose')(x, perm === undefined || perm === null ? {} : { perm });
});

export const squeeze = defineShim('squeeze', ['x:string_or_numeric'], (x, axis) => {
  const all = axis === undefined || axis === null || axis.length === 0;
  return native('squeeze')(toTensor(x), all ? {} : { axis });
});

export const expandDims = defineShim('expandDims', ['x:string_or_numeric'], (x, axis = 0) =>
  native('expandDims')(toTensor(x), { axis }),
);

export const broadcastTo = defineShim('broadcastTo', ['x'], (x, shape) =>
  native('broadcastTo')(toTensor(x), { shape }),
);

export const tile = defineShim('tile', ['x:string_or_numeric'], (x, reps) =>
  native('tile')(toTensor(x), { reps }),
);

export const reverse = defineShim('reverse', ['x'], (value, axis = null) => {
  const x = toTensor(value);
  return native('flip')(x, { axis: axis ?? null });
});

const reverseOfRank = (rank: number): Shim =>
  defineShim(`reverse${rank}d`, ['x'], (value, axis = null) => {
    const x = toTensor(value);
    requireRank(x, [rank], `Error in reverse${rank}D: x must be rank ${rank} but got rank ${x.rank}.`);
    return native('flip')(x, { axis: axis ?? null });
  });
export const reverse1d = reverseOfRank(1);
export const reverse2d = reverseOfRank(2);
export const reverse3d = reverseOfRank(3);
export const reverse4d = reverseOfRank(4);

export const concat = defineShim('concat', ['tensors[]:string_or_numeric'], (tensors, axis = 0) =>
  native('concat')(toTensors(tensors), { axis }),
);
export const concat1d = defineShim('concat', ['tensors[]'], (tensors) => concat(tensors, 0));
export const concat2d = concat;
export const concat3d = concat;
export const concat4d = concat;

export const stack = defineShim('stack', ['tensors[]:string_or_numeric'], (tensors, axis = 0) =>
  native('stack')(toTensors(tensors), { axis }),
);

export const unstack = defineShim('unstack', ['x:string_or_numeric'], (x, axis = 0) =>
  native('unstack')(toTensor(x), { axis }),
);

sayOnly('unstack', ([x, axis]) => {
  if (!(x instanceof Tensor) || (axis >= -x.rank && axis < x.rank)) return null;
  return `Axis = ${axis} is not in [-${x.rank}, ${x.rank})`;
});

export const split = defineShim('split', ['x'], (x, numOrSizeSplits, axis = 0) =>
  native('split')(toTensor(x), { numOrSizeSplits, axis }),
);

/** A number is for the first axis; missing sizes mean the rest. */
export const slice = defineShim('slice', ['x:string_or_numeric'], (value, begin, size) => {
  const x = toTensor(value);
  const rank = x instanceof Tensor ? x.rank : 0;
  const fill = (given: Loose, missing: number) => {
    const list = given === undefined || given === null ? [] : [given].flat();
    return [...list, ...Array(Math.max(0, rank - list.length)).fill(missing)];
  };
  return native('slice')(x, { begin: fill(begin, 0), size: fill(size, -1) });
});
sayAlso('slice', () => ['slice() does not support negative begin indexing.']);

const sliceOfRank = (rank: number): Shim =>
  defineShim(`slice${rank}d`, ['x'], (value, begin, size) => {
    const x = toTensor(value);
    requireRank(x, [rank], `slice${rank}d expects a rank-${rank} tensor, but got a rank-${x.rank} tensor`);
    return slice(x, begin, size);
  });
export const slice1d = sliceOfRank(1);
export const slice2d = sliceOfRank(2);
export const slice3d = sliceOfRank(3);
export const slice4d = sliceOfRank(4);

export const stridedSlice = defineShim(
  'stridedSlice',
  ['x:string_or_numeric'],
  (
    x,
    begin,
    end,
    strides,
    beginMask = 0,
    endMask = 0,
    ellipsisMask = 0,
    newAxisMask = 0,
    shrinkAxisMask = 0,
  ) =>
    native('stridedSlice')(toTensor(x), {
      begin,
      end,
      ...(strides ? { strides } : {}),
      beginMask,
      endMask,
      ellipsisMask,
      newAxisMask,
      shrinkAxisMask,
    }),
);

export const pad = defineShim('pad', ['x'], (value, paddings, constantValue = 0) => {
  const x = toTensor(value);
  return native('pad')(x, { paddings, constantValue });
});

const padOfRank = (rank: number): Shim =>
  defineShim(`pad${rank}d`, ['x'], (x, paddings, constantValue = 0) => {
    const pairs = rank === 1 ? [paddings] : paddings;
    rejectUnless(
      pairs.length === rank && pairs.every((pair: Loose) => pair.length === 2),
      'Invalid number of paddings. Must be length of 2 each.',
    );
    return pad(x, pairs, constantValue);
  });
export const pad1d = padOfRank(1);
export const pad2d = padOfRank(2);
export const pad3d = padOfRank(3);
export const pad4d = padOfRank(4);

export const mirrorPad = defineShim('mirrorPad', ['x'], (value, paddings, mode) => {
  rejectUnless(
    mode === 'reflect' || mode === 'symmetric',
    `Invalid mode. Mode must be either reflect or symmetric. Got ${mode}.`,
  );
  return native('pad')(toTensor(value), { paddings, mode });
});

/** Whether gathers check their indices. TF.js's own backends and tests differ here. */
export const gathers = { checked: true };

export const gather = defineShim(
  'gather',
  ['x', 'indices:int32'],
  (value, given, axis = 0, batchDims = 0) => {
    const x = toTensor(value);
    const indices = toTensor(given, 'int32');
    if (!gathers.checked) return native('gather')(x, indices, { axis, batchDims, validateIndices: false });
    return native('gather')(x, knownVector(indices), { axis, batchDims });
  },
);
sayAlso('gather', ([x, indices, axis = 0, batchDims = 0]) => {
  const limit = x instanceof Tensor ? (x.shape.at(axis) as number) : 0;
  const values = knownVector(indices);
  const known: number[] = values instanceof Tensor || !(indices instanceof Tensor) ? [] : [...values];
  const outside = known.find((index) => index < 0 || index >= limit);
  const rank = indices instanceof Tensor ? indices.rank : 0;
  return [
    `GatherV2: the index value ${outside} is not in [0, ${limit - 1}]`,
    `Expect batchDims in the range of [-${rank}, ${rank}], but got ${batchDims}`,
    `batchDims (${batchDims}) must be less than rank(x), and must be less than or equal to axis (${axis}).`,
    `x.shape[${batchDims - 1}]: should be equal to indices.shape[${batchDims - 1}]`,
  ];
});

export const gatherND = defineShim('gatherND', ['x:string_or_numeric', 'indices:int32'], (x, indices) =>
  native('gatherNd')(toTensor(x), toTensor(indices, 'int32'), { validateIndices: gathers.checked }),
);

/** A vector of indices holds one coordinate each. */
export const scatterND = defineShim('scatterND', ['indices:int32', 'updates'], (given, updates, shape) => {
  const indices = toTensor(given, 'int32');
  const vector = indices instanceof Tensor && indices.rank === 1;
  const coordinates = vector ? native('reshape')(indices, { shape: [-1, 1] }) : indices;
  return native('scatterNd')(coordinates, toTensor(updates), { shape });
});
