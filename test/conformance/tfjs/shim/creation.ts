/** @file tf.tensor and related functions, tf.zeros, tf.range, random tensors. */
import { TensorBuffer } from '@tensorflow/tfjs-core/dist/tensor.js';
import { assertNonNegativeIntegerDimensions } from '@tensorflow/tfjs-core/dist/util_base.js';
import { type DType, Tensor, tensor as makeTensor } from '../../../../src/index.ts';
import { defineShim, dtypeOf, type Loose, native, rejectUnless, sayOnly, toTensor } from './call.ts';
import { notOffered } from './notOffered.ts';

const offered = ['float32', 'int32', 'bool'];

function requireDType(dtype: Loose): void {
  if (dtype === undefined || dtype === null || offered.includes(dtype)) return;
  if (dtype === 'string' || dtype === 'complex64') notOffered(`${dtype} tensors`);
}

/** Returns the shape of nested arrays, as TF.js reads it. */
export function nestingOf(values: Loose): number[] {
  const shape: number[] = [];
  let inner = values;
  while (Array.isArray(inner) || ArrayBuffer.isView(inner)) {
    shape.push((inner as Loose).length);
    inner = Array.isArray(inner) ? inner[0] : undefined;
  }
  return shape;
}

function requireValues(values: Loose): void {
  rejectUnless(
    values !== null && values !== undefined,
    'The input to the tensor constructor must be a non-null value.',
  );
}

/** Returns whether nested values fill `shape`: the innermost may be flat. */
function fills(nesting: readonly number[], shape: readonly number[]): boolean {
  const last = nesting.length - 1;
  const rest = shape.slice(last).reduce((product, n) => product * n, 1);
  return nesting.every((n, i) => n === shape[i] || (i === last && n === rest));
}

function make(values: Loose, shape?: Loose, dtype?: Loose): Tensor {
  requireValues(values);
  requireDType(dtype);
  const inferred = dtypeOf(values);
  if (inferred === 'string') notOffered('string tensors');
  const nesting = nestingOf(values);
  if (shape && nesting.length > 1) {
    rejectUnless(
      fills(nesting, shape),
      `Error creating a new Tensor. Inferred shape (${nesting}) does not match the provided shape (${shape}). `,
    );
  }
  const type = (dtype ?? inferred) as DType;
  const flat = nesting.length > 1 && shape ? values.flat(Number.POSITIVE_INFINITY) : values;
  return makeTensor(isNumber(flat) && shape ? [Number(flat)] : flat, {
    dtype: type,
    ...(shape ? { shape } : {}),
  });
}

const isNumber = (value: Loose): boolean => typeof value === 'number' || typeof value === 'boolean';

/** Values of tensors that were created from host integers: ops may check indices that are known on the host. */
const hostValues = new WeakMap<Tensor, Loose>();

/** Returns the host values of `x` if it is a vector created from them, otherwise `x`. */
export function knownVector(x: Loose): Loose {
  return (x instanceof Tensor && hostValues.get(x)) || x;
}

export const tensor = defineShim('tensor', [], make);

/** Defines `tensor1d` to `tensor6d`: the nesting is flat or of that rank. */
function ofRank(rank: number): (...args: Loose[]) => Tensor {
  const name = `tensor${rank}d`;
  return defineShim(name, [], (values, ...rest) => {
    const [shape, dtype] = rank === 1 ? [undefined, rest[0]] : rest;
    requireDType(dtype);
    requireValues(values);
    rejectUnless(!shape || shape.length === rank, `${name}() requires shape to have ${rank} numbers`);
    const depth = nestingOf(values).length;
    rejectUnless(
      depth === rank || (depth === 1 && rank > 1),
      `${name}() requires values to be flat or nested`,
    );
    rejectUnless(
      depth === rank || shape !== undefined,
      `${name}() requires shape to be provided when \`values\` are a flat array`,
    );
    const made = make(values, shape, dtype);
    if (rank === 1 && made.dtype === 'int32') hostValues.set(made, Int32Array.from(values));
    return made;
  });
}

/** TF.js's message about a shape that the library has rejected. */
for (const name of ['tensor', 'tensor2d', 'tensor3d', 'tensor4d', 'tensor5d', 'tensor6d']) {
  sayOnly(name, ([values, shape]) => {
    if (!Array.isArray(shape)) return null;
    if (!shape.every((n: Loose) => Number.isInteger(n) && n >= 0))
      return `Tensor must have a shape comprised of positive integers but got shape [${shape}].`;
    const [size, given] = [shape.reduce((product, n) => product * n, 1), nestingOf(values)];
    const count = given.reduce((product, n) => product * n, 1);
    if (size === count) return null;
    return `Based on the provided shape, [${shape}], the tensor should have ${size} values but has ${count}`;
  });
}

export const tensor1d = ofRank(1);
export const tensor2d = ofRank(2);
export const tensor3d = ofRank(3);
export const tensor4d = ofRank(4);
export const tensor5d = ofRank(5);
export const tensor6d = ofRank(6);

export const scalar = defineShim('scalar', [], (value, dtype) => {
  if (dtype === 'string' || dtype === 'complex64') notOffered(`${dtype} tensors`);
  rejectUnless(
    isNumber(value) || typeof value === 'string',
    'Error creating a new Scalar: value must be a primitive',
  );
  return make(value, [], dtype);
});

export const zeros = defineShim('zeros', [], (shape, dtype = 'float32') => {
  requireDType(dtype);
  return native('zeros')(shape, { dtype });
});

export const ones = defineShim('ones', [], (shape, dtype = 'float32') => {
  requireDType(dtype);
  return native('ones')(shape, { dtype });
});

const like = (name: string) => defineShim(name, ['x'], (x) => native(name)(toTensor(x)));
export const zerosLike = like('zerosLike');
export const onesLike = like('onesLike');

export const fill = defineShim('fill', [], (shape, value, dtype) => {
  requireDType(dtype);
  if (typeof value === 'string') notOffered('string tensors');
  return native('fill')(shape, value, { dtype: dtype ?? (typeof value === 'boolean' ? 'bool' : 'float32') });
});

export const eye = defineShim('eye', [], (rows, columns, batchShape, dtype = 'float32') => {
  requireDType(dtype);
  rejectUnless(
    !batchShape || (batchShape.length >= 1 && batchShape.length <= 4),
    `eye() currently supports only 1D and 2D batchShapes, but received ${batchShape?.length}D.`,
  );
  return native('eye')(rows, { columns: columns ?? rows, batchShape: batchShape ?? [], dtype });
});

export const range = defineShim('range', [], (start, stop, step, dtype = 'float32') => {
  requireDType(dtype);
  return native('range')(start, stop, step ?? undefined, { dtype });
});

export const linspace = defineShim('linspace', [], (start, stop, count) =>
  native('linspace')(start, stop, count),
);

type Seeded = { seed?: number };
export const seeded = (seed: Loose): Seeded =>
  seed === undefined || seed === null ? {} : { seed: hash(String(seed)) };

/** TF.js takes any number or text as a seed. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (const char of text) h = Math.imul(h ^ (char.codePointAt(0) as number), 0x01000193);
  return h >>> 0;
}

const normal = (name: string) =>
  defineShim(name, [], (shape, mean = 0, stddev = 1, dtype = 'float32', seed?) => {
    requireDType(dtype);
    rejectUnless(dtype !== 'bool', `Unsupported data type ${dtype}`);
    return native(name)(shape, { mean, stddev, dtype: dtype ?? 'float32', ...seeded(seed) });
  });
export const randomNormal = normal('randomNormal');
export const truncatedNormal = normal('truncatedNormal');
export const randomStandardNormal = (shape: Loose, dtype?: Loose, seed?: Loose): Loose =>
  randomNormal(shape, 0, 1, dtype, seed);

/** TF.js casts uniform floats; the library draws integers and bools directly. */
export const randomUniform = defineShim(
  'randomUniform',
  [],
  (shape, minimum = 0, maximum = 1, dtype = 'float32', seed?) => {
    requireDType(dtype);
    const made = native('randomUniform')(shape, { min: minimum, max: maximum, ...seeded(seed) });
    return dtype === 'float32' ? made : native('cast')(made, dtype);
  },
);

export const randomUniformInt = defineShim('randomUniformInt', [], (shape, minimum, maximum, seed?) =>
  native('randomUniform')(shape, { min: minimum, max: maximum, dtype: 'int32', ...seeded(seed) }),
);

/** TF.js's own buffer on the host, which becomes a tensor of the library. */
class HostBuffer extends TensorBuffer<Loose> {
  override toTensor(): Loose {
    return tensor(this.values, this.shape, this.dtype);
  }
}

export function buffer(shape: Loose, dtype: Loose = 'float32', values?: Loose): Loose {
  requireDType(dtype);
  assertNonNegativeIntegerDimensions(shape);
  return new HostBuffer(shape, dtype, values);
}
