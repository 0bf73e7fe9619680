/** @file Checks of the options of random layers: rates and seeds. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { SeedSequence } from '../../../ops/define/seeds.ts';
import { checked } from '../../options/kinds.ts';
import type { Option } from '../../options/option.ts';

export { seeded } from '../../options/kinds.ts';

/** Throws unless `value` is a number from 0 to 1. */
export function requireFraction(op: string, what: string, value: unknown): asserts value is number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number from 0 to 1.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass a fraction such as 0.5.',
  });
}

/** The kind of a fraction: a number from 0 to 1. */
export function fraction(fallback?: number): Option<number> {
  return checked(requireFraction, fallback) as Option<number>;
}

/** The random sequence of a layer with a seed; null without one. */
export function sequenceOf({ seed }: { readonly seed: number | null }): SeedSequence | null {
  return seed === null ? null : new SeedSequence(seed);
}
