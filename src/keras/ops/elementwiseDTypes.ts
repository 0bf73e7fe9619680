/** @file Elementwise ops of the library with the dtypes of Keras. */
import * as library from '../../ops/index.ts';
import { ofFlags, ofFloats, ofNumbers, ofOneDType, ofValues } from './promotion.ts';

/** The library's `acos`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const acos: typeof library.acos = /* @__PURE__ */ ofFloats(library.acos);

/** The library's `acosh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const acosh: typeof library.acosh = /* @__PURE__ */ ofFloats(library.acosh);

/** The library's `asin`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const asin: typeof library.asin = /* @__PURE__ */ ofFloats(library.asin);

/** The library's `asinh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const asinh: typeof library.asinh = /* @__PURE__ */ ofFloats(library.asinh);

/** The library's `atan`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const atan: typeof library.atan = /* @__PURE__ */ ofFloats(library.atan);

/** The library's `atan2`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const atan2: typeof library.atan2 = /* @__PURE__ */ ofFloats(library.atan2);

/** The library's `atanh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const atanh: typeof library.atanh = /* @__PURE__ */ ofFloats(library.atanh);

/** The library's `ceil`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const ceil: typeof library.ceil = /* @__PURE__ */ ofFloats(library.ceil);

/** The library's `cos`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const cos: typeof library.cos = /* @__PURE__ */ ofFloats(library.cos);

/** The library's `cosh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const cosh: typeof library.cosh = /* @__PURE__ */ ofFloats(library.cosh);

/** The library's `div`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const div: typeof library.div = /* @__PURE__ */ ofFloats(library.div);

/** The library's `erf`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const erf: typeof library.erf = /* @__PURE__ */ ofFloats(library.erf);

/** The library's `exp`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const exp: typeof library.exp = /* @__PURE__ */ ofFloats(library.exp);

/** The library's `expm1`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const expm1: typeof library.expm1 = /* @__PURE__ */ ofFloats(library.expm1);

/** The library's `abs`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const fabs: typeof library.abs = /* @__PURE__ */ ofFloats(library.abs);

/** The library's `floor`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const floor: typeof library.floor = /* @__PURE__ */ ofFloats(library.floor);

/** The library's `isFinite`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
const finite: typeof library.isFinite = /* @__PURE__ */ ofFloats(library.isFinite);

/** The library's `isInf`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const isInf: typeof library.isInf = /* @__PURE__ */ ofFloats(library.isInf);

/** The library's `isNaN`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
const nan: typeof library.isNaN = /* @__PURE__ */ ofFloats(library.isNaN);

/** The library's `log`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const log: typeof library.log = /* @__PURE__ */ ofFloats(library.log);

/** The library's `log10`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const log10: typeof library.log10 = /* @__PURE__ */ ofFloats(library.log10);

/** The library's `log1p`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const log1p: typeof library.log1p = /* @__PURE__ */ ofFloats(library.log1p);

/** The library's `log2`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const log2: typeof library.log2 = /* @__PURE__ */ ofFloats(library.log2);

/** The library's `logAddExp`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const logAddExp: typeof library.logAddExp = /* @__PURE__ */ ofFloats(library.logAddExp);

/** The library's `reciprocal`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const reciprocal: typeof library.reciprocal = /* @__PURE__ */ ofFloats(library.reciprocal);

/** The library's `rsqrt`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const rsqrt: typeof library.rsqrt = /* @__PURE__ */ ofFloats(library.rsqrt);

/** The library's `sin`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const sin: typeof library.sin = /* @__PURE__ */ ofFloats(library.sin);

/** The library's `sinh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const sinh: typeof library.sinh = /* @__PURE__ */ ofFloats(library.sinh);

/** The library's `sqrt`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const sqrt: typeof library.sqrt = /* @__PURE__ */ ofFloats(library.sqrt);

/** The library's `tan`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const tan: typeof library.tan = /* @__PURE__ */ ofFloats(library.tan);

/** The library's `tanh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const tanh: typeof library.tanh = /* @__PURE__ */ ofFloats(library.tanh);

/** The library's `equal`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const equal: typeof library.equal = /* @__PURE__ */ ofNumbers(library.equal);

/** The library's `floorDiv`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const floorDiv: typeof library.floorDiv = /* @__PURE__ */ ofNumbers(library.floorDiv);

/** The library's `greater`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const greater: typeof library.greater = /* @__PURE__ */ ofNumbers(library.greater);

/** The library's `greaterEqual`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const greaterEqual: typeof library.greaterEqual = /* @__PURE__ */ ofNumbers(library.greaterEqual);

/** The library's `less`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const less: typeof library.less = /* @__PURE__ */ ofNumbers(library.less);

/** The library's `lessEqual`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const lessEqual: typeof library.lessEqual = /* @__PURE__ */ ofNumbers(library.lessEqual);

/** The library's `mod`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const mod: typeof library.mod = /* @__PURE__ */ ofNumbers(library.mod);

/** The library's `neg`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const neg: typeof library.neg = /* @__PURE__ */ ofNumbers(library.neg);

/** The library's `notEqual`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const notEqual: typeof library.notEqual = /* @__PURE__ */ ofNumbers(library.notEqual);

/** The library's `pow`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const pow: typeof library.pow = /* @__PURE__ */ ofNumbers(library.pow);

/** The library's `sign`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const sign: typeof library.sign = /* @__PURE__ */ ofNumbers(library.sign);

/** The library's `square`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const square: typeof library.square = /* @__PURE__ */ ofNumbers(library.square);

/** The library's `squaredDifference`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const squaredDifference: typeof library.squaredDifference = /* @__PURE__ */ ofNumbers(
  library.squaredDifference,
);

/** The library's `sub`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const sub: typeof library.sub = /* @__PURE__ */ ofNumbers(library.sub);

/** The library's `abs`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const abs: typeof library.abs = /* @__PURE__ */ ofValues(library.abs);

/** The library's `add`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const add: typeof library.add = /* @__PURE__ */ ofValues(library.add);

/** The library's `bitwiseAnd`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const bitwiseAnd: typeof library.bitwiseAnd = /* @__PURE__ */ ofValues(library.bitwiseAnd);

/** The library's `bitwiseOr`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const bitwiseOr: typeof library.bitwiseOr = /* @__PURE__ */ ofValues(library.bitwiseOr);

/** The library's `bitwiseXor`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const bitwiseXor: typeof library.bitwiseXor = /* @__PURE__ */ ofValues(library.bitwiseXor);

/** The library's `gcd`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const gcd: typeof library.gcd = /* @__PURE__ */ ofValues(library.gcd);

/** The library's `lcm`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const lcm: typeof library.lcm = /* @__PURE__ */ ofValues(library.lcm);

/** The library's `leftShift`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const leftShift: typeof library.leftShift = /* @__PURE__ */ ofValues(library.leftShift);

/** The library's `maximum`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const maximum: typeof library.maximum = /* @__PURE__ */ ofValues(library.maximum);

/** The library's `minimum`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const minimum: typeof library.minimum = /* @__PURE__ */ ofValues(library.minimum);

/** The library's `mul`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const mul: typeof library.mul = /* @__PURE__ */ ofValues(library.mul);

/** The library's `rightShift`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const rightShift: typeof library.rightShift = /* @__PURE__ */ ofValues(library.rightShift);

/** The library's `where`, of dtypes that may differ: the result has the highest. Shapes and errors: as there. */
export const where: typeof library.where = /* @__PURE__ */ ofOneDType(library.where);

/** The library's `logicalAnd`, of any dtype: numbers count as true unless they are 0. Shapes and errors: as there. */
export const logicalAnd: typeof library.logicalAnd = /* @__PURE__ */ ofFlags(library.logicalAnd);

/** The library's `logicalNot`, of any dtype: numbers count as true unless they are 0. Shapes and errors: as there. */
export const logicalNot: typeof library.logicalNot = /* @__PURE__ */ ofFlags(library.logicalNot);

/** The library's `logicalOr`, of any dtype: numbers count as true unless they are 0. Shapes and errors: as there. */
export const logicalOr: typeof library.logicalOr = /* @__PURE__ */ ofFlags(library.logicalOr);

/** The library's `logicalXor`, of any dtype: numbers count as true unless they are 0. Shapes and errors: as there. */
export const logicalXor: typeof library.logicalXor = /* @__PURE__ */ ofFlags(library.logicalXor);

export { finite as isFinite, nan as isNaN };
