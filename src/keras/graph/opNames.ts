/** @file Keras's classes of ops. Ops in graphs are numbered and displayed by them. */

/** Classes that aren't just the op's name with a capital letter. */
const classes: Readonly<Record<string, string>> = {
  abs: 'Absolute',
  acos: 'Arccos',
  acosh: 'Arccosh',
  argMax: 'Argmax',
  argMin: 'Argmin',
  asin: 'Arcsin',
  asinh: 'Arcsinh',
  atan: 'Arctan',
  atan2: 'Arctan2',
  atanh: 'Arctanh',
  concat: 'Concatenate',
  div: 'Divide',
  floorDiv: 'FloorDivide',
  gather: 'Take',
  hardSwish: 'HardSilu',
  isFinite: 'Isfinite',
  isInf: 'Isinf',
  isNaN: 'Isnan',
  logSumExp: 'Logsumexp',
  matMul: 'Matmul',
  mul: 'Multiply',
  neg: 'Negative',
  pow: 'Power',
  slice: 'GetItem',
  stridedSlice: 'GetItem',
  sub: 'Subtract',
  variance: 'Var',
};

/** Second classes of ops, such as that of the operator `/`, by the names that Keras gives to their calls. */
const otherClasses: Readonly<Record<string, readonly [className: string, name: RegExp]>> = {
  abs: ['Abs', /^abs(_\d+)?$/],
  div: ['TrueDivide', /^true_divide(_\d+)?$/],
};

/** Keras's class of a call of `op` called `name`. */
export function classOfCall(op: string, name: string): string {
  const other = Object.hasOwn(otherClasses, op) ? otherClasses[op] : undefined;
  return other?.[1].test(name) ? other[0] : kerasClass(op);
}

/** Keras's class of an op. */
export function kerasClass(op: string): string {
  return Object.hasOwn(classes, op) ? (classes[op] as string) : `${op[0]?.toUpperCase()}${op.slice(1)}`;
}
