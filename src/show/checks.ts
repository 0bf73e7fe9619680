/** @file Checks of options that several charts have. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';

export function requireText(op: string, name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ValueError({
    op,
    rule: `\`${name}\` is a text.`,
    received: `${name}: ${describe(value)}`,
    hint: 'pass a string, or leave it out.',
  });
}

/** Returns texts. */
export function requireTexts(op: string, name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new ValueError({
    op,
    rule: `\`${name}\` is a list of texts.`,
    received: `${name}: ${describe(value)}`,
    hint: 'pass an array of strings.',
  });
}
