/** @file A limit on the outputs of one op, since each costs a host object and a launch. */
import { ShapeError } from './errors.ts';

const maxOutputs = 2 ** 16;

/** Throws if an op would return more than `maxOutputs` tensors. Numbers that stand for an open size always exceed it. */
export function requireOutputs(op: string, count: number): void {
  if (count <= maxOutputs) return;
  throw new ShapeError({
    op,
    rule: `the number of its outputs must be known, and at most ${maxOutputs}.`,
    received: `an axis of size ${count}`,
    hint: 'keep the tensor whole, and slice what is needed. For an open size (null), name another axis, or give it: input({ batchShape: [2, 3] }).',
  });
}
