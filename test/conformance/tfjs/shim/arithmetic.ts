/** @file Elementwise ops, matrix products, selections. */
import { type DType, Tensor } from '../../../../src/index.ts';
import {
  defineShim,
  type Loose,
  native,
  rejectUnless,
  requireFloat,
  requireRank,
  sayAlso,
  toFloat,
  toNumber,
  toTensor,
  toTensors,
} from './call.ts';

type Shim = (...args: Loose[]) => Loose;

// Two operands

const order: readonly string[] = ['bool', 'int32', 'float32'];

/** TF.js's upcast: the higher of float32, int32, bool. The library promotes likewise; bools count as integers here. */
const binary = (name: string, of = name): Shim =>
  defineShim(name, ['a', 'b'], (a, b) => native(of)(toNumber(a), toNumber(b)));

/** Comparisons accept bools unchanged. */
const comparison = (name: string): Shim =>
  defineShim(name, ['a:string_or_numeric', 'b:string_or_numeric'], (a, b) =>
    native(name)(toNumber(a), toNumber(b)),
  );

const logical = (name: string): Shim =>
  defineShim(name, ['a:bool', 'b:bool'], (a, b) => native(name)(toTensor(a, 'bool'), toTensor(b, 'bool')));

export const add = binary('add');
export const sub = binary('sub');
export const mul = binary('mul');
export const maximum = binary('maximum');
export const minimum = binary('minimum');
export const squaredDifference = binary('squaredDifference');
export const mod = binary('mod');
export const floorDiv = binary('floorDiv');
export const atan2 = defineShim('atan2', ['a', 'b'], (a, b) => native('atan2')(toFloat(a), toFloat(b)));
export const pow = defineShim('pow', ['base', 'exp'], (base, exponent) =>
  native('pow')(toNumber(base), toNumber(exponent)),
);

/** TF.js takes two tensors of one shape; the library broadcasts. */
export const bitwiseAnd = defineShim('bitwiseAnd', ['x', 'y'], (first, second) => {
  const [x, y] = [toTensor(first), toTensor(second)];
  rejectUnless(String(x.shape) === String(y.shape), `BitwiseAnd: Tensors must have the same shape.`);
  return native('bitwiseAnd')(x, y);
});
sayAlso('bitwiseAnd', () => [`BitwiseAnd: Only supports 'int32' values in tensor`]);

/** Division of integers is floor division. */
export const div = defineShim('div', ['a', 'b'], (first, second) => {
  const [a, b] = [toNumber(first), toNumber(second)];
  const integers = a instanceof Tensor && b instanceof Tensor && a.dtype === 'int32' && b.dtype === 'int32';
  return native(integers ? 'floorDiv' : 'div')(a, b);
});

export const divNoNan = defineShim('divNoNan', ['a', 'b'], (first, second) => {
  const [a, b] = [toFloat(first), toFloat(second)];
  const isZero = native('equal')(b, 0);
  const safe = native('where')(isZero, native('ones')([]), b);
  return native('where')(isZero, native('zeros')([]), native('div')(a, safe));
});

export const equal = comparison('equal');
export const notEqual = comparison('notEqual');
export const less = comparison('less');
export const lessEqual = comparison('lessEqual');
export const greater = comparison('greater');
export const greaterEqual = comparison('greaterEqual');
export const logicalAnd = logical('logicalAnd');
export const logicalOr = logical('logicalOr');
export const logicalXor = logical('logicalXor');
export const logicalNot = defineShim('logicalNot', ['x:bool'], (x) =>
  native('logicalNot')(toTensor(x, 'bool')),
);

export const addN = defineShim('addN', [], (tensors) => native('addN')(toTensors(tensors)));
sayAlso('addN', ([tensors]) => [
  'The argument passed to tf.addN() must be a list of tensors',
  `Must pass at least one tensor to tf.addN(), but got ${Array.isArray(tensors) ? tensors.length : tensors}`,
  'All tensors passed to tf.addN() must have the same dtype',
  'All tensors passed to tf.addN() must have the same shape',
]);

// One operand

/** TF.js requires floats. */
const strictlyFloat = (name: string): Shim =>
  defineShim(name, ['x:float32'], (value) => {
    const x = toTensor(value);
    const result = native(name)(x);
    requireFloat(name, 'x', x);
    return result;
  });
/** Integers are computed as floats. */
const inFloats = (name: string): Shim => defineShim(name, ['x'], (x) => native(name)(toFloat(x)));
/** Integers stay integers; bools become integers. */
const anyNumber = (name: string): Shim => defineShim(name, ['x'], (x) => native(name)(toNumber(x)));

export const ceil = strictlyFloat('ceil');
export const floor = strictlyFloat('floor');
export const cos = strictlyFloat('cos');
export const sin = strictlyFloat('sin');
export const tan = strictlyFloat('tan');
export const cosh = strictlyFloat('cosh');
export const tanh = strictlyFloat('tanh');
export const log = strictlyFloat('log');
export const sqrt = strictlyFloat('sqrt');
export const rsqrt = strictlyFloat('rsqrt');
export const sigmoid = strictlyFloat('sigmoid');
export const elu = strictlyFloat('elu');
export const sinh = inFloats('sinh');
export const asin = inFloats('asin');
export const acos = inFloats('acos');
export const atan = inFloats('atan');
export const asinh = inFloats('asinh');
export const acosh = inFloats('acosh');
export const atanh = inFloats('atanh');
export const exp = inFloats('exp');
export const expm1 = inFloats('expm1');
export const log1p = inFloats('log1p');
export const erf = inFloats('erf');
export const reciprocal = inFloats('reciprocal');
export const softplus = inFloats('softplus');
export const logSigmoid = inFloats('logSigmoid');
export const selu = inFloats('selu');
const areNaN = inFloats('isNaN');
const areFinite = inFloats('isFinite');
export { areFinite as isFinite, areNaN as isNaN };
export const isInf = inFloats('isInf');
export const abs = anyNumber('abs');
export const neg = anyNumber('neg');
export const square = anyNumber('square');
export const sign = anyNumber('sign');
/** Integers are already rounded. */
export const round = defineShim('round', ['x'], (value) => {
  const x = toTensor(value);
  return native(x instanceof Tensor && x.dtype === 'int32' ? 'identity' : 'round')(x);
});
export const relu = anyNumber('relu');
export const relu6 = anyNumber('relu6');
export const leakyRelu = defineShim('leakyRelu', ['x'], (x, alpha = 0.2) =>
  native('leakyRelu')(toFloat(x), { negativeSlope: alpha }),
);

/** The leak is a tensor, so this is composed of a selection and a product. */
export const prelu = defineShim('prelu', ['x', 'alpha'], (value, leak) => {
  const [x, alpha] = [toTensor(value), toTensor(leak)];
  return native('where')(native('greaterEqual')(x, 0), x, native('mul')(x, alpha));
});

export const step = defineShim('step', ['x'], (value, alpha = 0) => {
  const x = toTensor(value);
  const steps = native('step')(toFloat(x), { alpha });
  return x instanceof Tensor && x.dtype === 'int32' ? native('cast')(steps, 'int32') : steps;
});

export const clipByValue = defineShim('clipByValue', ['x'], (value, minimum, maximum) =>
  native('clip')(toTensor(value), { min: minimum, max: maximum }),
);
sayAlso('clipByValue', ([, minimum, maximum]) => [
  `Error in clip: min (${minimum}) must be less than or equal to max (${maximum}).`,
]);

export const cast = defineShim('cast', ['x'], (value, dtype) => {
  const x = toTensor(value);
  rejectUnless(
    ['float32', 'int32', 'bool', 'string', 'complex64'].includes(dtype),
    `Failed to cast to unknown dtype ${dtype}`,
  );
  return native('cast')(x, dtype as DType);
});

export const clone = defineShim('clone', ['x:string_or_numeric'], (x) => native('identity')(toTensor(x)));

export const where = defineShim('where', ['condition:bool', 'a', 'b'], (condition, first, second) => {
  const [a, b] = [toTensor(first), toTensor(second)];
  return native('where')(toTensor(condition, 'bool'), a, b);
});

// Products

/** TF.js accepts no vectors here; `dot` does. */
export const matMul = defineShim(
  'matMul',
  ['a', 'b'],
  (first, second, transposeA = false, transposeB = false) => {
    const [a, b] = [toTensor(first), toTensor(second)];
    const product = native('matMul')(...sameDType(a, b), { transposeA, transposeB });
    rejectUnless(
      a.rank >= 2 && b.rank >= 2,
      `Error in matMul: inputs must have rank at least 2, got ${a.rank} and ${b.rank}`,
    );
    return product;
  },
);

function sameDType(a: Loose, b: Loose): Loose[] {
  if (!(a instanceof Tensor && b instanceof Tensor) || a.dtype === b.dtype) return [a, b];
  const dtype = order[Math.max(order.indexOf(a.dtype), order.indexOf(b.dtype))] as DType;
  return [native('cast')(a, dtype), native('cast')(b, dtype)];
}

export const dot = defineShim('dot', ['t1', 't2'], (first, second) => {
  const [a, b] = [toTensor(first), toTensor(second)];
  for (const x of [a, b]) requireRank(x, [1, 2], 'Error in dot: inputs must all be rank 1 or 2.');
  return native('matMul')(a, b);
});

export const outerProduct = defineShim('outerProduct', ['v1', 'v2'], (first, second) => {
  const [a, b] = [toTensor(first), toTensor(second)];
  for (const x of [a, b]) requireRank(x, [1], 'Error in outerProduct: inputs must be rank 1.');
  return native('matMul')(native('reshape')(a, { shape: [-1, 1] }), native('reshape')(b, { shape: [1, -1] }));
});

export const oneHot = defineShim(
  'oneHot',
  ['indices:int32'],
  (value, depth, onValue = 1, offValue = 0, dtype = 'int32') => {
    const indices = toTensor(value, 'int32');
    rejectUnless(depth >= 2, `Error in oneHot: depth must be >=2, but it is ${depth}`);
    const hot = native('oneHot')(indices, { depth, onValue, offValue });
    return hot.dtype === dtype ? hot : native('cast')(hot, dtype);
  },
);
