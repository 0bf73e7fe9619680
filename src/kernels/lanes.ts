/**
 * @file Chooses how many invocations share one line of values. The choice depends on sizes and the adapter's class
 * alone, so that the same call always adds in the same order.
 */
import type { LineOrder } from '../../shaders/lib/lanes.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { Device } from '../gpu/device.ts';

/** Lines of `n` values that lie `inner` apart. */
export interface Lines {
  count: number;
  n: number;
  inner: number;
}

/** Values that a lane has to itself, at least, before a line is given more lanes. */
const valuesPerLane = 8;
/** Invocations that keep a large GPU busy; beyond them, more lanes only add work. */
const busyInvocations = 2 ** 17;

/** The lines along `axis` of a tensor. */
export function linesAlong(shape: Shape, axis: number): Lines {
  const n = shape[axis] as number;
  const inner = sizeOf(shape.slice(axis + 1));
  return { count: sizeOf(shape.slice(0, axis)) * inner, n, inner };
}

/** Whether whole lines, one to a workgroup at most, would leave much of the device idle. */
export function isFewAndLong(device: Device, { count, n }: Lines): boolean {
  return device.adapter.class === 'cpu' ? count < 64 && n > 4096 : count < 64 && n > 65536;
}

export function orderOf({ inner }: Lines): LineOrder {
  return inner === 1 ? 'rows' : 'columns';
}

/** Lanes of a line: a power of four, at most `most`; few different ones, as each is a pipeline of its own. */
export function lanesFor(device: Device, lines: Lines, most: number): number {
  // Software adapters run a workgroup's invocations one after another: sharing a line only costs them barriers.
  if (device.adapter.class === 'cpu') return 1;
  const { count, n, inner } = lines;
  let limit = Math.min(most, Math.floor(n / valuesPerLane));
  if (inner > 1) {
    // Neighbouring lines already read neighbouring words. Leave a workgroup enough of them to fill a memory access.
    const neighbours = Math.min(inner, 16);
    limit = Math.min(limit, Math.floor(most / neighbours), Math.ceil(busyInvocations / count));
  }
  return limit < 4 ? 1 : 4 ** Math.floor(Math.log2(limit) / 2);
}
