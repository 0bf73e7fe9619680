/**
 * @file The ops of random programs: for each, which calls fit the values so far, the call in float64, and the call of the
 * library. Ops are continuous, so that rounding can't decide between results.
 */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import { at, broadcast, build, reduceAxis, spread, type Value, withAxis } from './values.ts';

/** One statement. Its numbers are taken modulo the number of choices, so that any other statement may be removed. */
export interface Step {
  readonly kind: string;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** A step as it is executed. */
export interface Planned {
  readonly inputs: readonly number[];
  readonly result: Value;
  readonly run: (...inputs: Tensor[]) => Tensor;
  /** The call, with the names of its inputs. */
  readonly text: (...names: string[]) => string;
}

type Planner = (values: readonly Value[], step: Step) => Planned | null;

const isFloat = ({ dtype }: Value) => dtype === 'float32';

/** The index of the n-th value that `fits`; null if none does. */
function pick(values: readonly Value[], n: number, fits: (value: Value) => boolean): number | null {
  const places = values.flatMap((value, place) => (fits(value) ? [place] : []));
  return places.length > 0 ? (places[n % places.length] as number) : null;
}

/** A call of one value that `fits`. */
function ofOne(
  fits: (value: Value) => boolean,
  plan: (x: Value, step: Step) => Pick<Planned, 'result' | 'run' | 'text'> | null,
): Planner {
  return (values, step) => {
    const place = pick(values, step.a, fits);
    const planned = place === null ? null : plan(values[place] as Value, step);
    return place === null || planned === null ? null : { ...planned, inputs: [place] };
  };
}

type UnaryOp = (x: Tensor) => Tensor;

const unary = (name: string, f: (x: number) => number, run: UnaryOp = op(name) as UnaryOp): Planner =>
  ofOne(isFloat, (x) => ({
    result: { ...x, data: x.data.map(f) },
    run,
    text: (v) => `${name}(${v})`,
  }));

type AnyOp = (...inputs: unknown[]) => Tensor;
const op = (name: string): AnyOp => (rg as unknown as Record<string, AnyOp>)[name] as AnyOp;

/** An op of two values that broadcast. */
const binary =
  (name: string, f: (x: number, y: number) => number, dtypes: 'all' | 'float32' = 'all'): Planner =>
  (values, { a, b }) => {
    const first = pick(values, a, (x) => dtypes === 'all' || isFloat(x));
    if (first === null) return null;
    const x = values[first] as Value;
    const second = pick(values, b, (y) => y.dtype === x.dtype && broadcast(x.shape, y.shape) !== null);
    if (second === null) return null;
    const y = values[second] as Value;
    const shape = broadcast(x.shape, y.shape) as number[];
    return {
      inputs: [first, second],
      result: build(shape, x.dtype, (position) => f(spread(x, position), spread(y, position))),
      run: op(name),
      text: (v, w) => `${name}(${v}, ${w})`,
    };
  };

const reduction = (name: string, reduce: (line: number[]) => number, allowsEmpty: boolean): Planner =>
  ofOne(
    (x) => x.shape.length > 0 && (name === 'sum' || isFloat(x)),
    (x, { b, c }) => {
      const axis = b % x.shape.length;
      if (!allowsEmpty && x.shape[axis] === 0) return null;
      const keepDims = c % 2 === 0;
      return {
        result: reduceAxis(x, axis, keepDims, reduce),
        run: (t) => op(name)(t, { axis, keepDims }),
        text: (v) => `${name}(${v}, { axis: ${axis}, keepDims: ${keepDims} })`,
      };
    },
  );

const hasAxes = (x: Value) => x.shape.length > 0;
const isFilled = (x: Value) => isFloat(x) && hasAxes(x) && x.data.length > 0;
const total = (line: number[]) => line.reduce((a, b) => a + b, 0);
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** An op along an axis that gives one line for each line. */
const along = (
  name: string,
  compute: (line: number[]) => number[],
  run: (t: Tensor, axis: number) => Tensor,
  fits: (x: Value) => boolean = isFilled,
): Planner =>
  ofOne(fits, (x, { b }) => {
    const axis = b % x.shape.length;
    const n = x.shape[axis] as number;
    const lineAt = (position: readonly number[]) =>
      compute(Array.from({ length: n }, (_, i) => at(x, withAxis(position, axis, i))));
    return {
      result: build(x.shape, x.dtype, (position) => lineAt(position)[position[axis] as number] as number),
      run: (t) => run(t, axis),
      text: (v) => `${name}(${v}, { axis: ${axis} })`,
    };
  });

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
  softplus: unary('softplus', (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))),
  add: binary('add', (x, y) => x + y),
  sub: binary('sub', (x, y) => x - y),
  mul: binary('mul', (x, y) => x * y),
  maximum: binary('maximum', Math.max, 'float32'),
  minimum: binary('minimum', Math.min, 'float32'),
  squaredDifference: binary('squaredDifference', (x, y) => (x - y) ** 2, 'float32'),
  sum: reduction('sum', total, true),
  mean: reduction('mean', (line) => total(line) / line.length, false),
  max: reduction('max', (line) => Math.max(...line), false),
  softmax: along(
    'softmax',
    (line) => {
      const largest = Math.max(...line);
      const powers = line.map((x) => Math.exp(x - largest));
      return powers.map((power) => power / total(powers));
    },
    (t, axis) => rg.softmax(t as never, { axis }),
  ),
  flip: along(
    'flip',
    (line) => line.reverse(),
    (t, axis) => rg.flip(t as never, { axis }),
    hasAxes,
  ),
  cumsum: along(
    'cumsum',
    (line) => {
      let sum = 0;
      return line.map((x) => {
        sum += x;
        return sum;
      });
    },
    (t, axis) => rg.cumsum(t as never, { axis }),
  ),
  matMul,
  concat,
  gather,
  transpose,
  reshape,
  pad,
  slice,
  toFloat,
};
