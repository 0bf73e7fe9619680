/** @file The classes that Keras has for ops. Ops in graphs are numbered and shown by them. */

/** Where the class isn't the name of the op with a capital. */
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
  sub: 'Subtract',
  variance: 'Var',
};

/** Keras's class of an op. */
export function kerasClass(op: string): string {
  return Object.hasOwn(classes, op) ? (classes[op] as string) : `${op[0]?.toUpperCase()}${op.slice(1)}`;
}
