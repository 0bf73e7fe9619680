/**
 * @file The ops of random programs: for each, which calls fit the values so far, the call in float64, and the call of the
 * library. Ops are continuous, so that rounding can't decide between results.
 */
import * as rg from '../../../src/index.ts';
import { arrangements } from './arrangements.ts';
import { along, binary, hasAxes, isFloat, ofOne, pick, type Planner, reduction, unary } from './planning.ts';
import { transforms } from './transforms.ts';
import { at, broadcast, build, type Value, withAxis } from './values.ts';
import { windows } from './windows.ts';

const total = (line: number[]) => line.reduce((a, b) => a + b, 0);
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
/** log(Σ exp x), without overflow. */
const logTotal = (line: number[]) => {
  const largest = Math.max(...line);
  return largest + Math.log(total(line.map((x) => Math.exp(x - largest))));
};
const varianceOf = (line: number[]) => {
  const mean = total(line) / line.length;
  return total(line.map((x) => (x - mean) ** 2)) / line.length;
};
const running = (f: (x: number, y: number) => number) => (line: number[]) => {
  let last: number | undefined;
  return line.map((x) => {
    last = last === undefined ? x : f(last, x);
    return last;
  });
};

const matMul: Planner = (values, { a, b, c }) => {
  const first = pick(values, a, (x) => isFloat(x) && x.shape.length >= 2);
  if (first === null) return null;
  const x = values[first] as Value;
  const [transposeA, transposeB] = [c % 2 === 1, c % 4 > 1];
  const sizes = ({ shape }: Value, transposed: boolean) => {
    const [rows, columns] = shape.slice(-2) as [number, number];
    return transposed ? [columns, rows] : [rows, columns];
  };
  const [m, k] = sizes(x, transposeA) as [number, number];
  const fits = (y: Value) =>
    isFloat(y) &&
    y.shape.length >= 2 &&
    sizes(y, transposeB)[0] === k &&
    broadcast(x.shape.slice(0, -2), y.shape.slice(0, -2)) !== null;
  const second = pick(values, b, fits);
  if (second === null) return null;
  const y = values[second] as Value;
  const n = sizes(y, transposeB)[1] as number;
  const batch = broadcast(x.shape.slice(0, -2), y.shape.slice(0, -2)) as number[];
  const entry = (v: Value, position: readonly number[], row: number, column: number) => {
    const skipped = batch.length - (v.shape.length - 2);
    const own = v.shape
      .slice(0, -2)
      .map((size, axis) => (size === 1 ? 0 : (position[axis + skipped] as number)));
    return at(v, [...own, row, column]);
  };
  const result = build([...batch, m, n], 'float32', (position) => {
    const [row, column] = position.slice(-2) as [number, number];
    let sum = 0;
    for (let l = 0; l < k; l++) {
      const left = transposeA ? entry(x, position, l, row) : entry(x, position, row, l);
      const right = transposeB ? entry(y, position, column, l) : entry(y, position, l, column);
      sum += left * right;
    }
    return sum;
  });
  return {
    inputs: [first, second],
    result,
    run: (s, t) => rg.matMul(s as never, t as never, { transposeA, transposeB }),
    text: (v, w) => `matMul(${v}, ${w}, { transposeA: ${transposeA}, transposeB: ${transposeB} })`,
  };
};

const concat: Planner = (values, { a, b, c }) => {
  const first = pick(values, a, hasAxes);
  if (first === null) return null;
  const x = values[first] as Value;
  const axis = c % x.shape.length;
  const fits = (y: Value) =>
    y.dtype === x.dtype &&
    y.shape.length === x.shape.length &&
    y.shape.every((size, i) => i === axis || size === x.shape[i]);
  const second = pick(values, b, fits) as number;
  const y = values[second] as Value;
  const own = x.shape[axis] as number;
  const shape = x.shape.map((size, i) => (i === axis ? size + (y.shape[i] as number) : size));
  return {
    inputs: [first, second],
    result: build(shape, x.dtype, (position) => {
      const place = position[axis] as number;
      return place < own ? at(x, position) : at(y, withAxis(position, axis, place - own));
    }),
    run: (s, t) => rg.concat([s, t] as never, { axis }),
    text: (v, w) => `concat([${v}, ${w}], { axis: ${axis} })`,
  };
};

/** Rows of `x` at indices determined by the step, including repeated ones. */
const gather = ofOne(
  (x) => hasAxes(x) && (x.shape[0] as number) > 0,
  (x, { b, c }) => {
    const rows = x.shape[0] as number;
    const indices = Array.from({ length: b % 5 }, (_, i) => (c + 7 * i * i) % rows);
    return {
      result: build([indices.length, ...x.shape.slice(1)], x.dtype, (position) =>
        at(x, withAxis(position, 0, indices[position[0] as number] as number)),
      ),
      run: (t) => rg.gather(t as never, rg.tensor(indices, { shape: [indices.length], dtype: 'int32' })),
      text: (v) => `gather(${v}, [${indices}])`,
    };
  },
);

const transpose = ofOne(hasAxes, (x, { b }) => {
  const turn = b % x.shape.length;
  const permutation = x.shape.map((_, i) => (i + turn) % x.shape.length);
  const shape = permutation.map((axis) => x.shape[axis] as number);
  return {
    result: build(shape, x.dtype, (position) => {
      const source = x.shape.map(() => 0);
      for (const [i, axis] of permutation.entries()) source[axis] = position[i] as number;
      return at(x, source);
    }),
    run: (t) => rg.transpose(t as never, { perm: permutation }),
    text: (v) => `transpose(${v}, { perm: [${permutation}] })`,
  };
});

const reshape = ofOne(
  () => true,
  (x, { b }) => {
    const size = x.data.length;
    const shapes = [[size], [1, size], [size, 1], [1, ...x.shape], [...x.shape, 1]];
    const shape = shapes[b % shapes.length] as number[];
    return {
      result: { ...x, shape },
      run: (t) => rg.reshape(t as never, { shape }),
      text: (v) => `reshape(${v}, { shape: [${shape}] })`,
    };
  },
);

const pad = ofOne(hasAxes, (x, { b, c }) => {
  const paddings = x.shape.map((_, i) => [(b + i) % 3, (c + 2 * i) % 2] as [number, number]);
  const shape = x.shape.map((size, i) => size + (paddings[i] as number[]).reduce((p, q) => p + q));
  return {
    result: build(shape, x.dtype, (position) => {
      const source = position.map((p, i) => p - (paddings[i] as [number, number])[0]);
      return source.every((p, i) => p >= 0 && p < (x.shape[i] as number)) ? at(x, source) : 0;
    }),
    run: (t) => rg.pad(t as never, { paddings }),
    text: (v) => `pad(${v}, { paddings: ${JSON.stringify(paddings)} })`,
  };
});

const slice = ofOne(hasAxes, (x, { b, c }) => {
  const begin = x.shape.map((size, i) => (size > 0 ? (b + i) % size : 0));
  const size = x.shape.map((n, i) => Math.max(0, n - (begin[i] as number) - (c % 2)));
  return {
    result: build(size, x.dtype, (position) =>
      at(
        x,
        position.map((p, i) => p + (begin[i] as number)),
      ),
    ),
    run: (t) => rg.slice(t as never, { begin, size }),
    text: (v) => `slice(${v}, { begin: [${begin}], size: [${size}] })`,
  };
});

const toFloat = ofOne(
  ({ dtype }) => dtype === 'int32',
  (x) => ({
    result: { ...x, dtype: 'float32', data: x.data.map((value) => value * 0.01) },
    run: (t) => rg.mul(rg.cast(t as never, { dtype: 'float32' }), 0.01),
    text: (v) => `mul(cast(${v}, { dtype: 'float32' }), 0.01)`,
  }),
);

export const planners: Readonly<Record<string, Planner>> = {
  tanh: unary('tanh', Math.tanh),
  sigmoid: unary('sigmoid', sigmoid),
  relu: unary('relu', (x) => Math.max(x, 0)),
  abs: unary('abs', Math.abs),
  neg: unary('neg', (x) => -x),
  square: unary('square', (x) => x * x),
  sin: unary('sin', Math.sin),
  cos: unary('cos', Math.cos),
  atan: unary('atan', Math.atan),
  asinh: unary('asinh', Math.asinh),
  silu: unary('silu', (x) => x * sigmoid(x)),
  elu: unary('elu', (x) => (x > 0 ? x : Math.expm1(x))),
  leakyRelu: unary('leakyRelu', (x) => (x > 0 ? x : 0.2 * x)),
  hardSigmoid: unary('hardSigmoid', (x) => Math.min(1, Math.max(0, x / 6 + 0.5))),
  softplus: unary('softplus', (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))),
  add: binary('add', (x, y) => x + y),
  sub: binary('sub', (x, y) => x - y),
  mul: binary('mul', (x, y) => x * y),
  maximum: binary('maximum', Math.max, 'float32'),
  minimum: binary('minimum', Math.min, 'float32'),
  squaredDifference: binary('squaredDifference', (x, y) => (x - y) ** 2, 'float32'),
  logAddExp: binary('logAddExp', (x, y) => logTotal([x, y]), 'float32'),
  sum: reduction('sum', total, true),
  mean: reduction('mean', (line) => total(line) / line.length, false),
  max: reduction('max', (line) => Math.max(...line), false),
  min: reduction('min', (line) => Math.min(...line), false),
  prod: reduction('prod', (line) => line.reduce((x, y) => x * y, 1), true),
  logSumExp: reduction('logSumExp', logTotal, false),
  variance: reduction('variance', varianceOf, false),
  softmax: along(
    'softmax',
    (line) => {
      const shift = logTotal(line);
      return line.map((x) => Math.exp(x - shift));
    },
    (t, axis) => rg.softmax(t as never, { axis }),
  ),
  logSoftmax: along(
    'logSoftmax',
    (line) => {
      const shift = logTotal(line);
      return line.map((x) => x - shift);
    },
    (t, axis) => rg.logSoftmax(t as never, { axis }),
  ),
  flip: along(
    'flip',
    (line) => line.reverse(),
    (t, axis) => rg.flip(t as never, { axis }),
    hasAxes,
  ),
  cumsum: along(
    'cumsum',
    running((x, y) => x + y),
    (t, axis) => rg.cumsum(t as never, { axis }),
  ),
  cumprod: along(
    'cumprod',
    running((x, y) => x * y),
    (t, axis) => rg.cumprod(t as never, { axis }),
  ),
  cummax: along('cummax', running(Math.max), (t, axis) => rg.cummax(t as never, { axis })),
  sort: along(
    'sort',
    (line) => line.sort((x, y) => x - y),
    (t, axis) => rg.sort(t as never, { axis }),
  ),
  matMul,
  concat,
  gather,
  transpose,
  reshape,
  pad,
  slice,
  toFloat,
  ...arrangements,
  ...windows,
  ...transforms,
};
