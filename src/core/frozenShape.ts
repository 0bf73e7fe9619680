/**
 * @file Immutable shapes of tensors: `x.shape.push(3)` throws, and a list that was passed as a shape is copied, so later
 * changes to it have no effect. Equal shapes share one frozen list, since freezing takes four times as long as a look-up:
 * see docs/decisions/frozen-shapes.md.
 */
import type { Shape } from './shape.ts';

const slotBits = 10;
/** A direct-mapped cache: each slot holds the latest shape hashed to it, at first that of a scalar. */
const shapes = new Array<Shape>(2 ** slotBits).fill(Object.freeze([]));

/** Returns a frozen list of the sizes in `shape`. */
export function frozenShape(shape: Shape): Shape {
  const slot = slotOf(shape);
  const known = shapes[slot] as Shape;
  if (isSame(known, shape)) return known;
  const frozen = Object.freeze([...shape]);
  shapes[slot] = frozen;
  return frozen;
}

/** Knuth's multiplicative hash; the upper bits are the best mixed. */
function slotOf(shape: Shape): number {
  let hash = shape.length;
  for (let i = 0; i < shape.length; i++) hash = Math.imul(hash ^ (shape[i] as number), 0x9e3779b1);
  return hash >>> (32 - slotBits);
}

/** A loop, since `every` is slower on a frozen list. */
function isSame(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
