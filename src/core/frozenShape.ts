/**
 * @file Shapes of tensors, which nobody can change: `x.shape.push(3)` throws, and a list that a program passed as a shape and
 * changes later is another one. Equal shapes are one frozen list, since freezing takes four times as long as finding it: see
 * docs/decisions/frozen-shapes.md.
 */
import type { Shape } from './shape.ts';

const slotBits = 10;
/** A direct-mapped cache: each slot has the shape that came last. */
const shapes = new Array<Shape | undefined>(2 ** slotBits).fill(undefined);

/** A frozen list of the sizes in `shape`. */
export function frozenShape(shape: Shape): Shape {
  const slot = slotOf(shape);
  const known = shapes[slot];
  if (known !== undefined && isSame(known, shape)) return known;
  const frozen = Object.freeze([...shape]);
  shapes[slot] = frozen;
  return frozen;
}

/** Knuth's multiplicative hash, whose upper bits differ most. */
function slotOf(shape: Shape): number {
  let hash = shape.length;
  for (let i = 0; i < shape.length; i++) hash = Math.imul(hash ^ (shape[i] as number), 0x9e3779b1);
  return hash >>> (32 - slotBits);
}

/** `every` of a frozen list takes longer than a loop. */
function isSame(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
