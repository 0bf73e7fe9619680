/** @file upTo: evenly spaced places. */
import { ShapeError } from '../../../core/errors.ts';

/** Far more rows or columns than matrices have. A configuration may say anything, and is read before there are weights. */
const most = 2 ** 24;

/** 0, step, 2 step, …: `count` numbers. Errors: ShapeError for more than any matrix has. */
export function upTo(count: number, step = 1): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i * step);
  throw new ShapeError({
    op: 'quantized weights',
    rule: `a matrix has at most ${most} rows and columns.`,
    received: String(count),
    hint: 'check the sizes in the configuration.',
  });
}
