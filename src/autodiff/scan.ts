/** @file scan: a loop over the first axis of tensors, whose body is captured once and differentiated as a loop. */
import { ShapeError, TapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe, requireBoolean, requireInteger, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { pairOf, requireFunction } from './functional.ts';
import { runLoop } from './loop.ts';
import { alignedLeaves, packTree, structureOf, tensorsIn } from './tree.ts';

export interface ScanOptions {
  /** The number of steps. Default: the size of the first axis of `xs`. */
  length?: number;
  /** Whether the steps go from the last to the first. Each result has the position of its input. Default false. */
  reverse?: boolean;
}

const optionNames: OptionNames<ScanOptions> = { length: false, reverse: false };

/**
 * Runs a loop: `f(carry, x)` returns `[carry, y]`, for each x along the first axis of `xs`. Returns `[carry, ys]`: the carry
 * after the last step, and the stacked outputs of the steps. Carries, xs and ys are tensors or trees of tensors; xs and y may
 * be null.
 *
 *     const cell = (h: Tensor, x: Tensor) => {
 *       const next = tanh(add(matMul(h, w), matMul(x, u)));
 *       return [next, next] as const;
 *     };
 *     const [last, all] = scan(cell, zeros([batch, units]), sequence);       // sequence [time, batch, features]
 *
 * The body is captured at its second step and replayed for the others, so that its JavaScript runs twice; inside `compile`
 * and inside `vmap` it runs at each step. Its gradient is a loop of the same kind, in the other direction, which computes the
 * body again: only the carries are kept, and the values before each step of variables that f assigns. Gradients flow to the
 * carry, to xs, and to tensors and variables from outside that f uses, as they were at the call. What f assigns when it runs
 * again is undone.
 * Errors: TapeError for an f that doesn't return a pair, and for a carry that changes its structure, shapes or dtypes;
 * ShapeError for xs of different lengths; ValueError for options.
 */
export function scan<C, X, Y>(
  f: (carry: C, x: X) => readonly [C, Y],
  init: C,
  xs: X,
  options: ScanOptions = {},
): [carry: C, ys: Y] {
  requireFunction('scan', f);
  checkOptions('scan', options, optionNames);
  const { reverse = false } = options;
  requireBoolean('scan', 'reverse', reverse);
  const carry = tensorsIn('scan', init, 'init');
  const inputs = xs === null || xs === undefined ? [] : tensorsIn('scan', xs, 'xs');
  const length = lengthOf(inputs, options);
  let y: unknown = null;
  const body = (before: readonly Tensor[], x: readonly Tensor[]) => {
    const given = inputs.length > 0 ? packTree(xs, x) : null;
    const result = pairOf(
      'scan',
      f(packTree(init, before) as C, given as X),
      'the body of a scan returns a pair.',
      'return [carry, y]; y may be null.',
    );
    const after = carriedLeaves(result[0], init, carry);
    y = result[1] ?? null;
    return { carry: after, ys: y === null ? [] : tensorsIn('scan', y, 'y') };
  };
  const { carry: last, ys } = runLoop({
    name: 'scan',
    body,
    carry,
    xs: inputs,
    length,
    reverse,
    seeds: null,
  });
  return [packTree(init, last) as C, (y === null ? null : packTree(y, ys)) as Y];
}

function lengthOf(xs: readonly Tensor[], { length }: ScanOptions): number {
  if (length !== undefined) requireInteger('scan', 'length', length, 0);
  const steps = length ?? xs[0]?.shape[0];
  if (xs.some(({ shape }) => shape[0] === undefined || shape[0] !== steps)) {
    throw new ShapeError({
      op: 'scan',
      rule: 'the first axis of each of xs is the steps, with the same length.',
      received: `${xs.map(formatSpec).join(', ')}${length === undefined ? '' : `, length: ${length}`}`,
      hint: 'stack the inputs of the steps along the first axis.',
    });
  }
  if (steps !== undefined) return steps;
  throw new ValueError({
    op: 'scan',
    rule: 'without xs, `length` says how many steps there are.',
    received: `length: ${describe(length)}`,
    hint: 'call scan(f, init, null, { length: 10 }).',
  });
}

/** Returns the leaves of the carry after a step, which are like those of `init`. */
function carriedLeaves(carry: unknown, init: unknown, before: readonly Tensor[]): Tensor[] {
  const leaves = tensorsIn('scan', carry, 'the carry');
  const aligned = alignedLeaves(carry, init) as Tensor[] | null;
  const fits = aligned?.every((leaf, i) => {
    const { shape, dtype } = before[i] as Tensor;
    return sameShape(leaf.shape, shape) && leaf.dtype === dtype;
  });
  if (aligned && fits) return aligned;
  throw new TapeError({
    op: 'scan',
    rule: 'the carry keeps its structure, shapes and dtypes from step to step.',
    received: `${structureOf(carry)} of ${leaves.map(formatSpec).join(', ')}, after ${structureOf(init)} of ${before.map(formatSpec).join(', ')}`,
    hint: 'return a carry like `init`: cast or reshape it, or start from another `init`.',
  });
}
