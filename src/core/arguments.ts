/** @file Checks of arguments other than operands: functions, and objects of options. */
import { describe } from './describe.ts';
import { ValueError } from './errors.ts';

/** Throws unless `value` is a function. */
export function requireFunction(op: string, what: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a function.`,
    received: `${what}: ${describe(value)}`,
    hint: `pass a function: ${op}(() => …).`,
  });
}

/** Throws unless `options` is an object. */
export function requireOptions(op: string, options: unknown): void {
  if (typeof options === 'object' && options !== null) return;
  throw new ValueError({
    op,
    rule: 'options come in an object.',
    received: describe(options),
    hint: 'pass an object such as { name: … }, or leave it out.',
  });
}
