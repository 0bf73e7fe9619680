/**
 * @file Plans the steps of random programs: one statement, what it computes in float64, and the library's call; and the
 * forms that many ops share.
 */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import { broadcast, build, mapRows, reduceAxis, spread, type Value } from './values.ts';

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

export type Planner = (values: readonly Value[], step: Step) => Planned | null;

export const isFloat = ({ dtype }: Value) => dtype === 'float32';

/** Returns the index of the n-th value that `fits`; null if none does. */
export function pick(values: readonly Value[], n: number, fits: (value: Value) => boolean): number | null {
  const places = values.flatMap((value, place) => (fits(value) ? [place] : []));
  return places.length > 0 ? (places[n % places.length] as number) : null;
}

/** A call of one value that `fits`. */
export function ofOne(
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

export const unary = (name: string, f: (x: number) => number, run: UnaryOp = op(name) as UnaryOp): Planner =>
  ofOne(isFloat, (x) => ({
    result: { ...x, data: x.data.map(f) },
    run,
    text: (v) => `${name}(${v})`,
  }));

type AnyOp = (...inputs: unknown[]) => Tensor;
export const op = (name: string): AnyOp => (rg as unknown as Record<string, AnyOp>)[name] as AnyOp;

/** An op of two values that broadcast. */
export const binary =
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

export const reduction = (name: string, reduce: (line: number[]) => number, allowsEmpty: boolean): Planner =>
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

export const hasAxes = (x: Value) => x.shape.length > 0;
export const isFilled = (x: Value) => isFloat(x) && hasAxes(x) && x.data.length > 0;

/** An op along an axis that gives one line for each line. */
export const along = (
  name: string,
  compute: (line: number[]) => number[],
  run: (t: Tensor, axis: number) => Tensor,
  fits: (x: Value) => boolean = isFilled,
): Planner =>
  ofOne(fits, (x, { b }) => {
    const axis = b % x.shape.length;
    return {
      result: mapRows(x, axis, compute),
      run: (t) => run(t, axis),
      text: (v) => `${name}(${v}, { axis: ${axis} })`,
    };
  });
