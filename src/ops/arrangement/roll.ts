/** @file roll */
import { describe } from '../../core/describe.ts';
import { ShapeError } from '../../core/errors.ts';
import { maxRank, normalizeAxis } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { concat } from './concat.ts';
import { identity } from './identity.ts';
import { reshape } from './reshape.ts';
import { slice } from './slice.ts';

export interface RollOptions {
  /** By how many places elements move towards the end; negative, towards the beginning. One for each axis. */
  shift: number | readonly number[];
  /** Default null: x is rolled as one flat list. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
}

/**
 * `x` with its elements shifted cyclically along `axis`. Any dtype.
 * Errors: ShapeError for an axis that x lacks, and unless there is one integer `shift` for each axis.
 */
export const roll: CompositeOp<[x: Tensor], RollOptions, Tensor, ['shift', 'axis']> =
  /* @__PURE__ */ defineComposite({
    name: 'roll',
    inputs: ['x'],
    options: { shift: true, axis: true },
    compose: ([x], { shift, axis = null }) => {
      if (axis === null) {
        const flat = reshape(x, { shape: [-1] });
        return reshape(rolled(flat, 0, shiftsFor(shift, [0])[0] as number), { shape: x.shape });
      }
      const axes = axesOf(axis, x.shape.length);
      const shifts = shiftsFor(shift, axes);
      // A new tensor, even if nothing moves.
      return axes.reduce((result, along, i) => rolled(result, along, shifts[i] as number), identity(x));
    },
  });

function rolled(x: Tensor, axis: number, shift: number): Tensor {
  const n = x.shape[axis] as number;
  const last = n === 0 ? 0 : ((shift % n) + n) % n;
  if (last === 0) return x;
  const block = (first: number, count: number) =>
    slice(x, {
      begin: x.shape.map((_, i) => (i === axis ? first : 0)),
      // -1 takes the rest of an axis, whose size may be open in a graph.
      size: x.shape.map((_, i) => (i === axis ? count : -1)),
    });
  return concat([block(n - last, last), block(0, n - last)], { axis });
}

/** Returns the axes in the order given. An axis may be repeated: its shifts add up. */
function axesOf(axis: unknown, rank: number): number[] {
  const list: readonly unknown[] = Array.isArray(axis) ? axis : [axis];
  if (list.length <= maxRank) return [...list].map((one) => normalizeAxis('roll', one, rank));
  throw new ShapeError({
    op: 'roll',
    rule: `\`axis\` must be an axis, or a list of at most ${maxRank}.`,
    received: `axis: ${describe(axis)}`,
    hint: 'add up the shifts of an axis.',
  });
}

/** One shift for each of `axes`. */
function shiftsFor(shift: unknown, axes: readonly number[]): number[] {
  const list: unknown[] = Array.isArray(shift) ? shift : axes.map(() => shift);
  if (list.length === axes.length && [...list].every(Number.isInteger)) return list as number[];
  throw new ShapeError({
    op: 'roll',
    rule: '`shift` must be an integer, or a list with one for each axis.',
    received: `shift: ${describe(shift)} for ${axes.length} axes`,
    hint: 'pass as many shifts as axes.',
  });
}
