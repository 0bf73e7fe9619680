/**
 * @file Positions that a cache gave out are inside of it, so that a decoding step takes no further launch that checks them.
 */
import type { Tensor } from '../../tensor/tensor.ts';

/** The rows of the cache that gave the positions out. */
const rooms = /* @__PURE__ */ new WeakMap<object, number>();

/** Notes that all `positions` are below `maxLength`. */
export function markReserved(positions: Tensor<'int32'>, maxLength: number): Tensor<'int32'> {
  rooms.set(positions, maxLength);
  return positions;
}

/** Returns whether `positions` are known to be below `maxLength`. */
export function areReserved(positions: unknown, maxLength: number): boolean {
  const room = rooms.get(positions as object);
  return room !== undefined && room <= maxLength;
}
