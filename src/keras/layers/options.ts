/** @file Options that layers share. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** Two positive whole numbers, from two or from one for both. */
export function pair(op: string, what: string, value: unknown): readonly [number, number] {
  const values = Array.isArray(value) ? value : [value, value];
  if (values.length === 2 && values.every((n) => Number.isInteger(n) && n >= 1)) {
    return [values[0], values[1]];
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` is a positive whole number, or two of them.`,
    received: `${what}: ${describe(value)}`,
    mend: 'pass 3, or [3, 3].',
  });
}
