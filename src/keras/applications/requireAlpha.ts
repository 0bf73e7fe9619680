/** @file The check of `alpha`, the width factor of mobile networks. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

export function requireAlpha(op: string, alpha: unknown): void {
  if (typeof alpha === 'number' && Number.isFinite(alpha) && alpha > 0) return;
  throw new ValueError({
    op,
    rule: '`alpha` is a positive number.',
    received: `alpha: ${describe(alpha)}`,
    hint: 'pass 1, or less for a narrower network.',
  });
}
