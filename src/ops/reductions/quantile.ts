/** @file quantile, median */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { roundHalfEven } from '../../core/integers.ts';
import { normalizeAxes, requireBoolean, requireOneOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { any } from './anyAll.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { fill } from '../creation/creation.ts';
import { gather } from '../indexing/gather.ts';
import { moveAxis } from '../arrangement/moveAxis.ts';
import { isNaN as isNaNOf } from '../elementwise/predicates.ts';
import { reduceOptionNames, type ReduceOptions } from './reduction.ts';
import { reshape } from '../arrangement/reshape.ts';
import { sort } from '../sorting/sort.ts';
import { where } from '../elementwise/where.ts';

/** How a quantile between two elements is taken. */
const methods = ['linear', 'lower', 'higher', 'nearest', 'midpoint'] as const;

export interface QuantileOptions extends ReduceOptions {
  /** Which quantiles: a number in [0, 1], or a list of them, which becomes the first axis of the result. */
  q: number | readonly number[];
  /** How to interpolate between two elements. Default 'linear'. */
  method?: (typeof methods)[number];
}

/**
 * The quantiles `q` of the elements along `axis` (default: all). float32. Shape: x without the reduced axes, or with size 1
 * where `keepDims`, preceded by an axis for q if that is a list. NaN if any element is NaN, or if there are none. Like
 * NumPy's quantile.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for integers and bools.
 */
export const quantile: CompositeOp<
  [x: Tensor],
  QuantileOptions,
  Tensor,
  ['q', 'axis', 'method', 'keepDims']
> = /* @__PURE__ */ defineComposite({
  name: 'quantile',
  inputs: ['x'],
  options: { q: true, axis: true, method: true, keepDims: true },
  acceptsFloat16: false,
  compose: ([x], options) => quantileOf('quantile', x, options),
});

/**
 * The median of the elements along `axis` (default: all): the mean of the middle two if their number is even. float32.
 * Shape: x without the reduced axes, or with size 1 where `keepDims`. NaN if any element is NaN, or if there are none.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const median: CompositeOp<[x: Tensor], ReduceOptions, Tensor, ['axis', 'keepDims']> =
  /* @__PURE__ */ defineComposite({
    name: 'median',
    inputs: ['x'],
    options: reduceOptionNames,
    acceptsFloat16: false,
    compose: ([x], options) => quantileOf('median', x, { ...options, q: 0.5 }),
  });

function quantileOf(
  op: string,
  x: Tensor,
  { q, axis, method = 'linear', keepDims = false }: QuantileOptions,
): Tensor {
  requireBoolean(op, 'keepDims', keepDims);
  requireOneOf(op, 'method', method, methods);
  const list = requireProbabilities(op, q);
  const all = x.shape.map((_, i) => i);
  const axes = axis === undefined || axis === null ? all : normalizeAxes(op, axis, x.shape.length);
  const outer = all.filter((i) => !axes.includes(i)).map((i) => x.shape[i] as number);
  const moved = moveAxis(x, { source: axes, destination: axes.map((_, i) => i - axes.length) });
  const lines = reshape(moved, { shape: [...outer, -1] });
  const n = lines.shape.at(-1) as number;
  const kept = keepDims ? x.shape.map((size, i) => (axes.includes(i) ? 1 : size)) : outer;
  const shape = Array.isArray(q) ? [list.length, ...kept] : kept;
  const values = n === 0 ? fill([...outer, list.length], Number.NaN) : between(lines, list, n, method);
  const isUnknown = any(isNaNOf(lines), { axis: -1, keepDims: true });
  const known = where(isUnknown, Number.NaN, values);
  return reshape(moveAxis(known, { source: -1, destination: 0 }), { shape });
}

/** Returns the quantiles of lines of n elements, along the last axis. */
function between(
  lines: Tensor,
  list: readonly number[],
  n: number,
  method: QuantileOptions['method'],
): Tensor {
  const ordered = sort(lines);
  const positions = list.map((q) => q * (n - 1));
  const at = (round: (position: number) => number) =>
    gather(ordered, Int32Array.from(positions, round), { axis: -1 });
  if (method === 'lower') return at(Math.floor);
  if (method === 'higher') return at(Math.ceil);
  if (method === 'nearest') return at(roundHalfEven);
  const shares = positions.map((position) => position - Math.floor(position));
  const weights = method === 'midpoint' ? shares.map((share) => (share > 0 ? 0.5 : 0)) : shares;
  const [low, high] = [at(Math.floor), at(Math.ceil)];
  // If both are the same infinite element, the difference would be NaN.
  const spread = where(
    weights.map((weight) => weight > 0),
    sub(high, low),
    0,
  );
  return add(low, mul(spread, weights));
}

/** The maximum number of quantiles per call. */
const maxQuantiles = 2 ** 16;

function requireProbabilities(op: string, q: unknown): readonly number[] {
  const list: unknown[] = Array.isArray(q) ? q : [q];
  // Copied, since `every` skips holes.
  if (
    list.length <= maxQuantiles &&
    [...list].every((one) => typeof one === 'number' && one >= 0 && one <= 1)
  )
    return list as number[];
  throw new ValueError({
    op,
    rule: `\`q\` must be a number in [0, 1], or a list of at most ${maxQuantiles}.`,
    received: `q: ${describe(q)}`,
    hint: 'divide percentages by 100.',
  });
}
