/** @file Ops of random programs that copy, repeat and select elements. */
import * as rg from '../../../src/index.ts';
import { hasAxes, ofOne, op, pick, type Planner } from './planning.ts';
import { at, build, type Value, withAxis } from './values.ts';

const tile = ofOne(hasAxes, (x, { b }) => {
  const reps = x.shape.map((_, i) => 1 + ((b + i) % 2));
  return {
    result: build(
      x.shape.map((n, i) => n * (reps[i] as number)),
      x.dtype,
      (position) =>
        at(
          x,
          position.map((p, i) => p % (x.shape[i] as number)),
        ),
    ),
    run: (t) => rg.tile(t as never, { reps }),
    text: (v) => `tile(${v}, { reps: [${reps}] })`,
  };
});

const repeat = ofOne(hasAxes, (x, { b, c }) => {
  const axis = b % x.shape.length;
  const repeats = 1 + (c % 3);
  const shape = x.shape.map((n, i) => (i === axis ? n * repeats : n));
  return {
    result: build(shape, x.dtype, (position) =>
      at(x, withAxis(position, axis, Math.floor((position[axis] as number) / repeats))),
    ),
    run: (t) => rg.repeat(t as never, { repeats, axis }),
    text: (v) => `repeat(${v}, { repeats: ${repeats}, axis: ${axis} })`,
  };
});

const roll = ofOne(hasAxes, (x, { b, c }) => {
  const axis = b % x.shape.length;
  const shift = (c % 9) - 4;
  const n = x.shape[axis] as number;
  return {
    result: build(x.shape, x.dtype, (position) =>
      at(x, withAxis(position, axis, ((((position[axis] as number) - shift) % n) + n) % n)),
    ),
    run: (t) => rg.roll(t as never, { shift, axis }),
    text: (v) => `roll(${v}, { shift: ${shift}, axis: ${axis} })`,
  };
});

/** A second value of the shape and dtype of the first. */
const likeFirst = (values: readonly Value[], { a, b }: { a: number; b: number }) => {
  const first = pick(values, a, () => true) as number;
  const x = values[first] as Value;
  const fits = (y: Value) => y.dtype === x.dtype && y.shape.join() === x.shape.join();
  return { first, x, second: pick(values, b, fits) as number };
};

const stack: Planner = (values, step) => {
  const { first, x, second } = likeFirst(values, step);
  const y = values[second] as Value;
  const axis = step.c % (x.shape.length + 1);
  return {
    inputs: [first, second],
    result: build(x.shape.toSpliced(axis, 0, 2), x.dtype, (position) =>
      at(position[axis] === 0 ? x : y, position.toSpliced(axis, 1)),
    ),
    run: (s, t) => rg.stack([s, t] as never, { axis }),
    text: (v, w) => `stack([${v}, ${w}], { axis: ${axis} })`,
  };
};

/** Elements of one value or the other, by a mask that the step determines. */
const where: Planner = (values, step) => {
  const { first, x, second } = likeFirst(values, step);
  const y = values[second] as Value;
  const period = 2 + (step.c % 5);
  const mask = Array.from(x.data, (_, i) => i % period === 0);
  return {
    inputs: [first, second],
    result: { ...x, data: x.data.map((value, i) => (mask[i] ? value : (y.data[i] as number))) },
    run: (s, t) => {
      const condition = rg.tensor(mask.map(Number), { shape: [...x.shape], dtype: 'bool' });
      return rg.where(condition as never, s as never, t as never);
    },
    text: (v, w) => `where(each ${period}th, ${v}, ${w})`,
  };
};

const isMatrix = (x: Value) => x.shape.length >= 2;

const triangle = ofOne(isMatrix, (x, { b, c }) => {
  const k = (b % 5) - 2;
  const name = c % 2 === 0 ? 'tril' : 'triu';
  const holds = (row: number, column: number) => (name === 'tril' ? column - row <= k : column - row >= k);
  return {
    result: build(x.shape, x.dtype, (position) => {
      const [row, column] = position.slice(-2) as [number, number];
      return holds(row, column) ? at(x, position) : 0;
    }),
    run: (t) => op(name)(t, { k }),
    text: (v) => `${name}(${v}, { k: ${k} })`,
  };
});

/** Each second or third element along each axis, from the first or the second on. */
const stridedSlice = ofOne(hasAxes, (x, { b, c }) => {
  const strides = x.shape.map((_, i) => 1 + ((b + i) % 3));
  const begin = x.shape.map((n, i) => Math.min(n, (c + i) % 2));
  const shape = x.shape.map((n, i) => Math.ceil((n - (begin[i] as number)) / (strides[i] as number)));
  return {
    result: build(shape, x.dtype, (position) =>
      at(
        x,
        position.map((p, i) => (begin[i] as number) + p * (strides[i] as number)),
      ),
    ),
    run: (t) => rg.stridedSlice(t as never, { begin, end: [...x.shape], strides }),
    text: (v) => `stridedSlice(${v}, { begin: [${begin}], end: [${x.shape}], strides: [${strides}] })`,
  };
});

/** The second of two parts along an axis. */
const split = ofOne(
  (x) => x.shape.some((n) => n > 0 && n % 2 === 0),
  (x, { b }) => {
    const axes = x.shape.flatMap((n, i) => (n > 0 && n % 2 === 0 ? [i] : []));
    const axis = axes[b % axes.length] as number;
    const part = (x.shape[axis] as number) / 2;
    const shape = x.shape.with(axis, part);
    return {
      result: build(shape, x.dtype, (position) =>
        at(x, withAxis(position, axis, part + (position[axis] as number))),
      ),
      run: (t) => rg.split(t as never, { numOrSizeSplits: 2, axis })[1] as never,
      text: (v) => `split(${v}, { numOrSizeSplits: 2, axis: ${axis} })[1]`,
    };
  },
);

export const arrangements: Readonly<Record<string, Planner>> = {
  tile,
  repeat,
  roll,
  stack,
  where,
  triangle,
  stridedSlice,
  split,
};
