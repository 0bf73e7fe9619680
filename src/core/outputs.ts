/** @file How many tensors one op may give: each is an object of the host and a launch. */
import { ShapeError } from './errors.ts';

const maxOutputs = 2 ** 16;

/** Throws where an op would give more than `maxOutputs` tensors. */
export function requireOutputs(op: string, count: number): void {
  if (count <= maxOutputs) return;
  throw new ShapeError({
    op,
    rule: `it gives at most ${maxOutputs} tensors.`,
    received: `${count} parts`,
    hint: 'keep the tensor whole, and slice what is needed.',
  });
}
