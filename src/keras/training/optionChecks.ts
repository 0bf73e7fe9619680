/** @file Checks of what `compile`, `fit`, `evaluate` and `predict` are told. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** Throws unless `value` is left out or a whole number of at least `min`. */
export function requireCount(
  op: string,
  what: string,
  value: unknown,
  min: number,
): asserts value is number | undefined {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= min)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a whole number of at least ${min}.`,
    received: `${what}: ${describe(value)}`,
    hint: 'correct it, or leave it out.',
  });
}

/** Throws unless `value` is at least 0 and below 1. */
export function requireShare(op: string, what: string, value: unknown): asserts value is number {
  if (typeof value === 'number' && value >= 0 && value < 1) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number of at least 0 and below 1.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 0.2 to keep a fifth, or leave it out.',
  });
}
