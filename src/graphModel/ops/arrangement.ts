/** @file Operations of graphs that arrange elements: shapes, slices, joins, padding. */
import {
  batchToSpace,
  broadcastTo,
  concat,
  depthToSpace,
  expandDims,
  flip,
  pad,
  reshape,
  slice,
  spaceToBatch,
  spaceToDepth,
  split,
  squeeze,
  stack,
  stridedSlice,
  tile,
  transpose,
  tril,
  triu,
  unstack,
} from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sizeOf } from '../../core/shape.ts';
import type { Attributes } from '../attributes.ts';
import type { Call, GraphOp, GraphOps, HostCall, Outputs } from '../call.ts';
import { type HostValues, hostValues, integer, integers, isShape, maxHostValues } from '../hostValues.ts';
import { pairsOf } from './convolutions.ts';

const vector = (values: readonly number[], { dtype }: HostValues): HostValues =>
  hostValues(values, [values.length], dtype);

/** Passes its input on. */
const passed: GraphOp = { run: (call) => call.made(0) };

/** The sizes of the shape that an input asks for, whose -1 is what is left. */
function resolved(wanted: readonly number[], count: number): number[] {
  const rest = wanted.reduce((product, size) => (size < 0 ? product : product * size), 1);
  return wanted.map((size) => (size < 0 ? count / rest : size));
}

const squeezedAxes = (attributes: Attributes): number[] =>
  attributes.numbers(attributes.has('squeeze_dims') ? 'squeeze_dims' : 'axis');

function masksOf(attributes: Attributes) {
  return {
    beginMask: attributes.number('begin_mask', 0),
    endMask: attributes.number('end_mask', 0),
    ellipsisMask: attributes.number('ellipsis_mask', 0),
    newAxisMask: attributes.number('new_axis_mask', 0),
    shrinkAxisMask: attributes.number('shrink_axis_mask', 0),
  };
}

/** Part of a vector that the host knows. */
function slicedOnHost({ inputs: [x, begin, end, strides], attributes }: HostCall): Outputs | null {
  const { beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask } = masksOf(attributes);
  const [from, to, step] = [begin, end, strides].map((input) => input?.values[0]);
  const isPlain = x?.shape.length === 1 && begin?.values.length === 1 && !ellipsisMask && !newAxisMask;
  if (!isPlain || from === undefined || to === undefined || step === undefined || step === 0) return null;
  const size = x.values.length;
  const first = from < 0 ? from + size : from;
  const picked = x.values[first];
  if (shrinkAxisMask) return picked === undefined ? null : hostValues([picked], [], x.dtype);
  const last = to < 0 ? to + size : to;
  const at = Array.from(x.values, (_, i) => i);
  if (step < 0) at.reverse();
  const isWithin = (i: number) =>
    step > 0
      ? (beginMask || i >= first) && (endMask || i < last)
      : (beginMask || i <= first) && (endMask || i > last);
  const within = at.filter(isWithin).filter((_, i) => i % Math.abs(step) === 0);
  return vector(
    within.map((i) => x.values[i] as number),
    x,
  );
}

/** Vectors and scalars one after another, which become a vector. */
const joinedOnHost = (inputs: readonly HostValues[]): HostValues | null => {
  const [first] = inputs;
  return first
    ? vector(
        inputs.flatMap(({ values }) => values),
        first,
      )
    : null;
};

/** The sizes of parts, of which one that is -1 gets what is left of the whole. */
function splitSizes(sizes: readonly number[], whole: number): number[] {
  const known = sizes.reduce((sum, size) => sum + Math.max(size, 0), 0);
  return sizes.map((size) => (size < 0 ? whole - known : size));
}

/** Parts of a vector that the host knows. Null for sizes that it doesn't have. */
function partsOnHost(x: HostValues, sizes: readonly number[]): HostValues[] | null {
  if (x.shape.length !== 1 || sizes.reduce((sum, size) => sum + size, 0) !== x.values.length) return null;
  let at = 0;
  return sizes.map((size) => {
    at += size;
    return vector(x.values.slice(at - size, at), x);
  });
}

export const arrangement: GraphOps = {
  Identity: passed,
  IdentityN: { run: (call) => Array.from({ length: call.count }, (_, i) => call.made(i)) },
  StopGradient: passed,
  PreventGradient: passed,
  Snapshot: passed,
  EnsureShape: passed,
  CheckNumerics: passed,
  Print: passed,
  PlaceholderWithDefault: passed,
  NoOp: { run: () => [] },
  Shape: { run: (call) => integers(call.shape(0)) },
  ShapeN: { run: (call) => Array.from({ length: call.count }, (_, i) => integers(call.shape(i))) },
  Rank: { run: (call) => integer(call.shape(0).length) },
  Size: { run: (call) => integer(call.shape(0).reduce((product, size) => product * size, 1)) },
  Reshape: {
    host: [1],
    onHost: ({ inputs: [x, shape] }) => {
      if (!x || !shape || shape.values.filter((size) => size < 0).length > 1) return null;
      const sizes = resolved(shape.values, x.values.length);
      return isShape(sizes) && sizeOf(sizes) === x.values.length
        ? hostValues(x.values, sizes, x.dtype)
        : null;
    },
    run: (call) => reshape(call.tensor(0), [...call.numbers(1)]),
  },
  Squeeze: {
    onHost: ({ inputs: [x] }) => (x?.values.length === 1 ? hostValues(x.values, [], x.dtype) : null),
    run: (call) => {
      const axis = squeezedAxes(call.attributes);
      return axis.length > 0 ? squeeze(call.tensor(0), { axis }) : squeeze(call.tensor(0));
    },
  },
  ExpandDims: {
    host: [1],
    onHost: ({ inputs: [x] }) => (x?.shape.length === 0 ? vector(x.values, x) : null),
    run: (call) => expandDims(call.tensor(0), { axis: call.number(1) }),
  },
  Transpose: { host: [1], run: (call) => transpose(call.tensor(0), { perm: [...call.numbers(1)] }) },
  BroadcastTo: { host: [1], run: (call) => broadcastTo(call.tensor(0), { shape: [...call.numbers(1)] }) },
  Tile: {
    host: [1],
    onHost: ({ inputs: [x, reps] }) => {
      const count = reps?.values[0] ?? 0;
      if (x?.shape.length !== 1 || count < 1 || count * x.values.length > maxHostValues) return null;
      return vector(Array.from({ length: count }, () => x.values).flat(), x);
    },
    run: (call) => tile(call.tensor(0), { reps: [...call.numbers(1)] }),
  },
  Slice: {
    host: [1, 2],
    onHost: ({ inputs: [x, begin, size] }) => {
      const [from, count] = [begin?.values[0], size?.values[0]];
      if (x?.shape.length !== 1 || from === undefined || count === undefined) return null;
      if (!isShape([from]) || from + Math.max(count, 0) > x.values.length) return null;
      return vector(x.values.slice(from, count < 0 ? undefined : from + count), x);
    },
    run: (call) => slice(call.tensor(0), { begin: [...call.numbers(1)], size: [...call.numbers(2)] }),
  },
  StridedSlice: {
    host: [1, 2, 3],
    onHost: slicedOnHost,
    run: (call) =>
      stridedSlice(call.tensor(0), {
        begin: [...call.numbers(1)],
        end: [...call.numbers(2)],
        strides: [...call.numbers(3)],
        ...masksOf(call.attributes),
      }),
  },
  Pack: {
    onHost: ({ inputs }) => (inputs.every(({ shape }) => shape.length === 0) ? joinedOnHost(inputs) : null),
    run: (call) => stack(call.tensors(), { axis: call.attributes.number('axis', 0) }),
  },
  Unpack: {
    onHost: ({ inputs: [x] }) =>
      x?.shape.length === 1 ? x.values.map((value) => hostValues([value], [], x.dtype)) : null,
    run: (call) => unstack(call.tensor(0), { axis: call.attributes.number('axis', 0) }),
  },
  ConcatV2: {
    host: [-1],
    onHost: ({ inputs }) =>
      inputs.slice(0, -1).every(({ shape }) => shape.length === 1) ? joinedOnHost(inputs.slice(0, -1)) : null,
    run: (call) => joined(call.tensors(0, -1), call.number(-1)),
  },
  Concat: { host: [0], run: (call) => joined(call.tensors(1), call.number(0)) },
  Split: {
    host: [0],
    onHost: ({ inputs: [axis, x], attributes }) => {
      const count = attributes.number('num_split', 1);
      const size = (x?.values.length ?? 0) / count;
      return axis && x && count > 0 && Number.isInteger(size)
        ? partsOnHost(x, new Array(count).fill(size))
        : null;
    },
    run: (call) => {
      const numOrSizeSplits = call.attributes.number('num_split', 1);
      return split(call.tensor(1), { numOrSizeSplits, axis: call.number(0) });
    },
  },
  SplitV: {
    host: [1, 2],
    onHost: ({ inputs: [x, sizes] }) =>
      x && sizes ? partsOnHost(x, splitSizes(sizes.values, x.values.length)) : null,
    run: (call) => {
      const axis = call.number(2);
      const { length } = call.shape(0);
      const whole = call.shape(0)[axis < 0 ? axis + length : axis] as number;
      return split(call.tensor(0), { numOrSizeSplits: splitSizes(call.numbers(1), whole), axis });
    },
  },
  Pad: { host: [1], run: (call) => pad(call.tensor(0), { paddings: pairsOf(call.numbers(1)) }) },
  PadV2: {
    host: [1, 2],
    run: (call) => pad(call.tensor(0), { paddings: pairsOf(call.numbers(1)), constantValue: call.number(2) }),
  },
  MirrorPad: {
    host: [1],
    run: (call) => {
      const mode = call.attributes.text('mode', 'REFLECT') === 'SYMMETRIC' ? 'symmetric' : 'reflect';
      return pad(call.tensor(0), { paddings: pairsOf(call.numbers(1)), mode });
    },
  },
  ReverseV2: {
    host: [1],
    run: (call) => {
      const axis = [...call.numbers(1)];
      return axis.length > 0 ? flip(call.tensor(0), { axis }) : call.made(0);
    },
  },
  Reverse: {
    host: [1],
    run: (call) => {
      const axis = call.numbers(1).flatMap((isFlipped, i) => (isFlipped ? [i] : []));
      return axis.length > 0 ? flip(call.tensor(0), { axis }) : call.made(0);
    },
  },
  DepthToSpace: { run: (call) => depthToSpace(call.tensor(0), blockOf(call)) },
  SpaceToDepth: { run: (call) => spaceToDepth(call.tensor(0), blockOf(call)) },
  SpaceToBatchND: {
    host: [1, 2],
    run: (call) =>
      spaceToBatch(call.tensor(0), { blockShape: [...call.numbers(1)], paddings: pairsOf(call.numbers(2)) }),
  },
  BatchToSpaceND: {
    host: [1, 2],
    run: (call) =>
      batchToSpace(call.tensor(0), { blockShape: [...call.numbers(1)], crops: pairsOf(call.numbers(2)) }),
  },
  MatrixBandPart: {
    host: [1, 2],
    run: (call) => {
      const [below, above] = [call.number(1), call.number(2)];
      const upper = below < 0 ? call.tensor(0) : triu(call.tensor(0), { k: -below });
      return above < 0 ? upper : tril(upper, { k: above });
    },
  },
};

const joined = (tensors: Tensor[], axis: number): Tensor => concat(tensors, { axis });

function blockOf(call: Call): { blockSize: number } {
  const format = call.attributes.text('data_format', 'NHWC');
  if (format !== 'NHWC')
    throw call.unsupported(`data_format '${format}'`, 'convert the model with channels last (NHWC).');
  return { blockSize: call.attributes.number('block_size', 1) };
}
