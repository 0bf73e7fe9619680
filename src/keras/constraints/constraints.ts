/** @file The constraints: rules that weights are made to satisfy after each step of an optimizer. */
import { ValueError } from '../../core/errors.ts';
import { describe, requireFinite } from '../../core/shape.ts';
import { add, div, mul } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { euclideanNorm } from '../../ops/reductions/euclideanNorm.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import type { Configured } from '../namedObjects.ts';
import type { OptionTable } from '../options/fields.ts';
import { checked, number } from '../options/kinds.ts';
import { declaring, type Table } from '../options/maker.ts';

/** A rule for the values of a weight, applied after each step of an optimizer. */
export interface Constraint extends Configured {
  /** The constrained values of the weight, computed with ops. */
  call(w: Tensor): Tensor;
}

const constraint = /* @__PURE__ */ declaring<Constraint>();

/** Options of constraints on norms. */
export interface AxisOptions {
  /** Axis or axes along which a vector of weights runs. Default 0: the inputs of a unit. */
  axis?: number | readonly number[];
}

export interface MaxNormOptions extends AxisOptions {
  /** The largest norm along `axis`; longer vectors are scaled to it. Default 2. */
  maxValue?: number;
}

const maxNormTable: Table<MaxNormOptions> = () => ({
  maxValue: number({ min: 0, default: 2 }),
  ...axisTable(),
});

/** Vectors of at most the length `maxValue`. Errors: ValueError for options. */
export const maxNorm = /* @__PURE__ */ constraint(
  'MaxNorm',
  maxNormTable,
  ({ maxValue, axis }) =>
    (w) =>
      tidy(() => withLengths(w, axis, (lengths) => clip(lengths, { min: 0, max: maxValue }))),
  ['maxValue', 'axis'],
);

export interface MinMaxNormOptions extends AxisOptions {
  /** The smallest norm along `axis`. Default 0. */
  minValue?: number;
  /** The largest norm along `axis`. Default 1. */
  maxValue?: number;
  /** How far each step moves towards the bounds, in [0, 1]. Default 1: all the way. */
  rate?: number;
}

const minMaxNormTable: Table<MinMaxNormOptions> = () => ({
  minValue: number({ min: 0, default: 0 }),
  maxValue: {
    read: (given = 1, { op, what, values }) => {
      requireFinite(op, what, given, values.minValue as number);
      return given as number;
    },
  },
  rate: number({ min: 0, default: 1 }),
  ...axisTable(),
});

/** Vectors of a length in [minValue, maxValue]. Errors: ValueError for options. */
export const minMaxNorm = /* @__PURE__ */ constraint(
  'MinMaxNorm',
  minMaxNormTable,
  ({ minValue, maxValue, rate, axis }) => {
    const within = (lengths: Tensor) => {
      const bounded = clip(lengths, { min: minValue, max: maxValue });
      return rate === 1 ? bounded : add(mul(bounded, rate), mul(lengths, 1 - rate));
    };
    return (w) => tidy(() => withLengths(w, axis, within));
  },
  ['minValue', 'maxValue', 'rate', 'axis'],
);

/** No value below 0. */
export const nonNeg = /* @__PURE__ */ constraint(
  'NonNeg',
  () => ({}),
  () => (w) => maximum(w, 0),
);

/** Vectors of length 1. Errors: ValueError for options. */
export const unitNorm = /* @__PURE__ */ constraint(
  'UnitNorm',
  axisTable,
  ({ axis }) =>
    (w) =>
      tidy(() => div(w, add(lengthsOf(w, axis), epsilon))),
  ['axis'],
);

function lengthsOf(w: Tensor, axis: number | readonly number[]): Tensor {
  return euclideanNorm(w, { axis, keepDims: true });
}

function withLengths(
  w: Tensor,
  axis: number | readonly number[],
  wanted: (lengths: Tensor) => Tensor,
): Tensor {
  const lengths = lengthsOf(w, axis);
  return mul(w, div(wanted(lengths), add(lengths, epsilon)));
}

function axisTable(): OptionTable<AxisOptions> {
  return { axis: checked(axisOf, 0) };
}

function axisOf(op: string, what: string, axis: unknown): number | readonly number[] {
  const axes = Array.isArray(axis) ? axis : [axis];
  if (axes.length > 0 && axes.every((a) => Number.isInteger(a))) return axis as number | readonly number[];
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, or a list of them.`,
    received: `${what}: ${describe(axis)}`,
    hint: 'pass 0 for dense kernels, [0, 1, 2] for kernels of images.',
  });
}
