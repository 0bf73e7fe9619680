/** @file The check of `alpha`, by which mobile networks are made narrower. */
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
