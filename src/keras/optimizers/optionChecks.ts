/** @file Checks of the options of optimizers and schedules. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** Throws unless `holds`; `rule` describes valid values: 'a number in [0, 1)'. */
export function requireOption(op: string, what: string, value: unknown, holds: boolean, rule: string): void {
  if (holds) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is ${rule}.`,
    received: `${what}: ${describe(value)}`,
    hint: 'correct it, or omit it for the default.',
  });
}

/** Throws unless `value` is a finite number that satisfies `within`. */
export function requireNumber(
  op: string,
  what: string,
  value: unknown,
  rule: string,
  within: (value: number) => boolean,
): void {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  requireOption(op, what, value, isNumber && within(value), rule);
}

export function requireShare(op: string, what: string, value: unknown): void {
  requireNumber(op, what, value, 'a number in [0, 1)', (n) => n >= 0 && n < 1);
}

export function requireNotNegative(op: string, what: string, value: unknown): void {
  requireNumber(op, what, value, 'a number of at least 0', (n) => n >= 0);
}

export function requirePositive(op: string, what: string, value: unknown): void {
  requireNumber(op, what, value, 'a number above 0', (n) => n > 0);
}

export function requireBoolean(op: string, what: string, value: unknown): void {
  requireOption(op, what, value, typeof value === 'boolean', 'true or false');
}

/** The decays and the epsilon of Adam and its variants. */
export interface MomentOptions {
  beta1?: number;
  beta2?: number;
  epsilon?: number;
}

/** The options with their defaults. Errors: ValueError. */
export function checkedMoments(op: string, options: MomentOptions): Required<MomentOptions> {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7 } = options;
  requireShare(op, 'beta1', beta1);
  requireShare(op, 'beta2', beta2);
  requireNotNegative(op, 'epsilon', epsilon);
  return { beta1, beta2, epsilon };
}
