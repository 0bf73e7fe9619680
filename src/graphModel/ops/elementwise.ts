/** @file Operations of graphs that compute element by element. */
import {
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  bitwiseAnd,
  ceil,
  cos,
  cosh,
  elu,
  erf,
  exp,
  expm1,
  floor,
  isFinite as isFiniteOp,
  isInf,
  isNaN as isNaNOp,
  log,
  log1p,
  logicalNot,
  neg,
  reciprocal,
  relu,
  relu6,
  round,
  rsqrt,
  selu,
  sigmoid,
  sign,
  sin,
  sinh,
  softplus,
  softsign,
  sqrt,
  square,
  tan,
  tanh,
  addN,
  cast,
  clip,
  div,
  equal,
  floorDiv,
  greater,
  greaterEqual,
  leakyRelu,
  less,
  lessEqual,
  logicalAnd,
  logicalOr,
  maximum,
  minimum,
  mod,
  mul,
  notEqual,
  pow,
  reshape,
  squaredDifference,
  sub,
  where,
  zerosLike,
} from '../../ops/index.ts';
import type { DType } from '../../core/dtype.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call, GraphOp, GraphOps, HostCall } from '../call.ts';
import { hostValues, paired } from '../hostValues.ts';

type Unary = (x: Tensor) => Tensor;
type Binary = (a: Tensor, b: Tensor) => Tensor;

const unary: Readonly<Record<string, Unary>> = {
  Acos: acos,
  Acosh: acosh,
  Asin: asin,
  Asinh: asinh,
  Atan: atan,
  Atanh: atanh,
  Cos: cos,
  Cosh: cosh,
  Elu: (x) => elu(x),
  Erf: erf,
  Erfc: (x) => sub(1, erf(x)),
  Expm1: expm1,
  IsFinite: isFiniteOp,
  IsInf: isInf,
  IsNan: isNaNOp,
  Log1p: log1p,
  Relu: relu,
  Relu6: relu6,
  Selu: selu,
  Sigmoid: sigmoid,
  Sin: sin,
  Sinh: sinh,
  Softplus: softplus,
  Softsign: softsign,
  Tan: tan,
  Tanh: tanh,
};

/** Also of numbers that the host knows. Rounding of integers leaves them as they are. */
const unaryOnHost: Readonly<Record<string, readonly [Unary, (x: number) => number]>> = {
  Abs: [abs, Math.abs],
  Exp: [exp, Math.exp],
  Log: [log, Math.log],
  LogicalNot: [logicalNot, (x) => Number(x === 0)],
  Neg: [neg, (x) => -x],
  Reciprocal: [reciprocal, (x) => 1 / x],
  Rsqrt: [rsqrt, (x) => 1 / Math.sqrt(x)],
  Sign: [sign, Math.sign],
  Sqrt: [sqrt, Math.sqrt],
  Square: [square, (x) => x * x],
  Ceil: [(x) => (x.dtype === 'float32' ? ceil(x) : x), Math.ceil],
  Floor: [(x) => (x.dtype === 'float32' ? floor(x) : x), Math.floor],
  Round: [(x) => (x.dtype === 'float32' ? round(x) : x), roundToEven],
};

const binary: Readonly<Record<string, Binary>> = {
  Atan2: atan2,
  BitwiseAnd: bitwiseAnd,
  DivNoNan: (a, b) => {
    const isZero = equal(b, zerosLike(b));
    return where(isZero, zerosLike(a), div(a, where(isZero, add(zerosLike(b), 1), b)));
  },
};

/** Also of numbers that the host knows. */
const binaryOnHost: Readonly<Record<string, readonly [Binary, (a: number, b: number) => number]>> = {
  Add: [add, (a, b) => a + b],
  AddV2: [add, (a, b) => a + b],
  Sub: [sub, (a, b) => a - b],
  Mul: [mul, (a, b) => a * b],
  Div: [quotient, (a, b) => a / b],
  RealDiv: [quotient, (a, b) => a / b],
  FloorDiv: [floorDiv, (a, b) => Math.floor(a / b)],
  FloorMod: [mod, floorMod],
  Mod: [mod, floorMod],
  Maximum: [maximum, Math.max],
  Minimum: [minimum, Math.min],
  Pow: [pow, Math.pow],
  SquaredDifference: [squaredDifference, (a, b) => (a - b) ** 2],
};

const comparisons: Readonly<Record<string, readonly [Binary, (a: number, b: number) => boolean]>> = {
  Equal: [equal, (a, b) => a === b],
  NotEqual: [notEqual, (a, b) => a !== b],
  Greater: [greater, (a, b) => a > b],
  GreaterEqual: [greaterEqual, (a, b) => a >= b],
  Less: [less, (a, b) => a < b],
  LessEqual: [lessEqual, (a, b) => a <= b],
  LogicalAnd: [logicalAnd, (a, b) => a !== 0 && b !== 0],
  LogicalOr: [logicalOr, (a, b) => a !== 0 || b !== 0],
};

/** Integers are divided as TensorFlow's C does: towards zero. */
function quotient(a: Tensor, b: Tensor): Tensor {
  if (a.dtype === 'float32') return div(a, b);
  return cast(div(cast(a, 'float32'), cast(b, 'float32')), a.dtype);
}

function floorMod(a: number, b: number): number {
  return a - b * Math.floor(a / b);
}

function roundToEven(x: number): number {
  const near = Math.round(x);
  return Math.abs(x % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

function ofPair(run: Binary, f: (a: number, b: number) => number, dtype?: DType): GraphOp {
  return {
    onHost: ({ inputs: [a, b] }: HostCall) => (a && b ? paired(a, b, dtype ?? a.dtype, f) : null),
    run: (call) => run(call.tensor(0), call.tensor(1)),
  };
}

function select(call: Call): Tensor {
  const [condition, x, y] = [call.tensor(0), call.tensor(1), call.tensor(2)];
  // Select of TensorFlow 1 takes a condition for each row.
  const isByRow = condition.shape.length === 1 && x.shape.length > 1 && condition.shape[0] === x.shape[0];
  const rows = [...condition.shape, ...x.shape.slice(1).map(() => 1)];
  return where(
    isByRow && call.attributes.place.endsWith('(Select)') ? reshape(condition, rows) : condition,
    x,
    y,
  );
}

const chosen: GraphOp = {
  onHost: ({ inputs: [condition, x, y] }) => {
    if (!condition || !x || !y || condition.values.length !== 1) return null;
    return condition.values[0] ? x : y;
  },
  run: select,
};

export const elementwise: GraphOps = {
  ...entries(unary, (run) => ({ run: (call) => run(call.tensor(0)) })),
  ...entries(unaryOnHost, ([run, f]) => ({
    onHost: ({ inputs: [x] }) => (x ? hostValues(x.values.map(f), x.shape, x.dtype) : null),
    run: (call) => run(call.tensor(0)),
  })),
  ...entries(binary, (run) => ({ run: (call) => run(call.tensor(0), call.tensor(1)) })),
  ...entries(binaryOnHost, ([run, f]) => ofPair(run, f)),
  ...entries(comparisons, ([run, f]) => ofPair(run, (a, b) => Number(f(a, b)), 'bool')),
  AddN: { run: (call) => addN(call.tensors()) },
  BiasAdd: { run: (call) => add(call.tensor(0), call.tensor(1)) },
  LeakyRelu: {
    run: (call) => leakyRelu(call.tensor(0), { negativeSlope: call.attributes.number('alpha', 0.2) }),
  },
  Prelu: { run: (call) => parametricRelu(call.tensor(0), call.tensor(1)) },
  ClipByValue: {
    host: [1, 2],
    run: (call) => clip(call.tensor(0), { min: call.number(1), max: call.number(2) }),
  },
  FakeQuantWithMinMaxVars: { host: [1, 2], run: quantized },
  Select: chosen,
  SelectV2: chosen,
  Cast: {
    onHost: ({ inputs: [x], attributes }) => {
      const dtype = attributes.dtype('DstT');
      return x && dtype
        ? hostValues(dtype === 'int32' ? x.values.map(Math.trunc) : x.values, x.shape, dtype)
        : null;
    },
    run: (call) => {
      const dtype = call.attributes.dtype('DstT');
      if (dtype) return cast(call.tensor(0), dtype);
      throw call.unsupported('a cast to another dtype', 'cast to float32, int32 or bool.');
    },
  },
};

/** Rounds to the numbers that integers of some bits stand for, as training for them does. Source: TensorFlow's fake_quant_ops. */
function quantized(call: Call): Tensor {
  const { attributes } = call;
  const lowest = attributes.boolean('narrow_range') ? 1 : 0;
  const highest = 2 ** attributes.number('num_bits', 8) - 1;
  const [min, max] = [call.number(1), call.number(2)];
  const scale = (max - min) / (highest - lowest);
  if (!(scale > 0)) return zerosLike(call.tensor(0));
  // Zero is one of the numbers.
  const zero = Math.min(highest, Math.max(lowest, roundHalfUp(lowest - min / scale)));
  const [from, to] = [(lowest - zero) * scale, (highest - zero) * scale];
  const steps = mul(sub(clip(call.tensor(0), { min: from, max: to }), from), 1 / scale);
  return add(mul(floor(add(steps, 0.5)), scale), from);
}

const roundHalfUp = (x: number): number => Math.floor(x + 0.5);

/** x where it is above 0, and alpha · x elsewhere. */
export const parametricRelu = (x: Tensor, alpha: Tensor): Tensor =>
  add(relu(x), mul(alpha, minimum(x, zerosLike(x))));

function entries<T>(table: Readonly<Record<string, T>>, op: (entry: T) => GraphOp): GraphOps {
  return Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, op(entry)]));
}
