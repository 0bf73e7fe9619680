/** @file The constraints: rules that weights are made to satisfy after each step of an optimizer. */
import { optionsOf, type Positions } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, requireFinite } from '../../core/shape.ts';
import { add, div, mul } from '../../ops/arithmetic.ts';
import { clip } from '../../ops/clip.ts';
import { maximum } from '../../ops/maximum.ts';
import { euclideanNorm } from '../../ops/euclideanNorm.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import type { Configured } from '../namedObjects.ts';

/** A rule for the values of a weight, applied after each step of an optimizer. */
export interface Constraint extends Configured {
  /** The constrained values of the weight, computed with ops. */
  call(w: Tensor): Tensor;
}

/** Options of constraints on norms. */
export interface AxisOptions {
  /** Axis or axes along which a vector of weights runs. Default 0: the inputs of a unit. */
  axis?: number | readonly number[];
}

/** Options of `maxNorm`. */
export interface MaxNormOptions extends AxisOptions {
  /** The largest norm along `axis`; longer vectors are scaled to it. Default 2. */
  maxValue?: number;
}

/** Vectors of at most the length `maxValue`. Errors: ValueError for options. */
export function maxNorm(options?: MaxNormOptions): Constraint;
export function maxNorm(...settings: Positions<MaxNormOptions, ['maxValue', 'axis']>): Constraint;
export function maxNorm(...args: unknown[]): Constraint {
  const options: MaxNormOptions = optionsOf('MaxNorm', args, { maxValue: true, axis: true });
  const { maxValue = 2, axis = 0 } = options;
  requireFinite('MaxNorm', 'maxValue', maxValue, 0);
  requireAxis('MaxNorm', axis);
  return {
    className: 'MaxNorm',
    call: (w) => tidy(() => withLengths(w, axis, (lengths) => clip(lengths, { min: 0, max: maxValue }))),
    getConfig: () => ({ maxValue, axis }),
  };
}

/** Options of `minMaxNorm`. */
export interface MinMaxNormOptions extends AxisOptions {
  /** The smallest norm along `axis`. Default 0. */
  minValue?: number;
  /** The largest norm along `axis`. Default 1. */
  maxValue?: number;
  /** How far each step moves towards the bounds, in [0, 1]. Default 1: all the way. */
  rate?: number;
}

/** Vectors of a length in [minValue, maxValue]. Errors: ValueError for options. */
export function minMaxNorm(options?: MinMaxNormOptions): Constraint;
export function minMaxNorm(
  ...settings: Positions<MinMaxNormOptions, ['minValue', 'maxValue', 'rate', 'axis']>
): Constraint;
export function minMaxNorm(...args: unknown[]): Constraint {
  const names = { minValue: true, maxValue: true, rate: true, axis: true };
  const options: MinMaxNormOptions = optionsOf('MinMaxNorm', args, names);
  const { minValue = 0, maxValue = 1, rate = 1, axis = 0 } = options;
  requireFinite('MinMaxNorm', 'minValue', minValue, 0);
  requireFinite('MinMaxNorm', 'maxValue', maxValue, minValue);
  requireFinite('MinMaxNorm', 'rate', rate, 0);
  requireAxis('MinMaxNorm', axis);
  const within = (lengths: Tensor) => {
    const bounded = clip(lengths, { min: minValue, max: maxValue });
    return rate === 1 ? bounded : add(mul(bounded, rate), mul(lengths, 1 - rate));
  };
  return {
    className: 'MinMaxNorm',
    call: (w) => tidy(() => withLengths(w, axis, within)),
    getConfig: () => ({ minValue, maxValue, rate, axis }),
  };
}

/** No value below 0. */
export function nonNeg(): Constraint;
export function nonNeg(...args: unknown[]): Constraint {
  optionsOf('NonNeg', args, {});
  return { className: 'NonNeg', call: (w) => maximum(w, 0), getConfig: () => ({}) };
}

/** Vectors of length 1. Errors: ValueError for options. */
export function unitNorm(options?: AxisOptions): Constraint;
export function unitNorm(...settings: Positions<AxisOptions, ['axis']>): Constraint;
export function unitNorm(...args: unknown[]): Constraint {
  const { axis = 0 }: AxisOptions = optionsOf('UnitNorm', args, { axis: true });
  requireAxis('UnitNorm', axis);
  return {
    className: 'UnitNorm',
    call: (w) => tidy(() => div(w, add(lengthsOf(w, axis), epsilon))),
    getConfig: () => ({ axis }),
  };
}

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

function requireAxis(op: string, axis: unknown): void {
  const axes = Array.isArray(axis) ? axis : [axis];
  if (axes.length > 0 && axes.every((a) => Number.isInteger(a))) return;
  throw new ValueError({
    op,
    rule: '`axis` is an integer, or a list of them.',
    received: `axis: ${describe(axis)}`,
    hint: 'pass 0 for dense kernels, [0, 1, 2] for kernels of images.',
  });
}
