/** @file The order of problems: the first ones are a sample of all, so that little time still gives an overview. */
import type { Problem } from '../codegen/problem.ts';

/** Returns the problems of each group in turn, and those of a group in an order that is random but always the same. */
export function sampleOrder(problems: readonly Problem[]): Problem[] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const key = groupOf(problem);
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  const shuffled = [...groups.values()].map((group) => group.sort((a, b) => hash(a.name) - hash(b.name)));
  const longest = Math.max(0, ...shuffled.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => shuffled.flatMap((group) => group[i] ?? [])).flat();
}

/** The family; convolutions are many, and grouped also by batch size and direction. */
function groupOf({ name, family }: Problem): string {
  const direction = family.endsWith('convolution') ? (/batch \d+, .*$/.exec(name)?.[0] ?? '') : '';
  return `${family} ${direction}`;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return value;
}
