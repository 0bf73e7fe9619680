/** @file How many tensors one op may give: each is an object of the host and a launch. */
import { ShapeError } from './errors.ts';

const maxOutputs = 2 ** 16;

/** Throws where an op would give more than `maxOutputs` tensors, which any number does that stands for an open size. */
export function requireOutputs(op: string, count: number): void {
  if (count <= maxOutputs) return;
  throw new ShapeError({
    op,
    rule: `the number of its outputs must be known, and at most ${maxOutputs}.`,
    received: `an axis of size ${count}`,
    hint: 'keep the tensor whole, and slice what is needed. Where the size is open (null), name another axis, or give the size: input({ batchShape: [2, 3] }).',
  });
}
