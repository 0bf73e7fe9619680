/** @file How the arguments of stateful programs are nested, and how a function reads them. */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';

/** How arguments are nested. Several have the same tensors under other names, in another order, or nested differently. */
export const argumentStructures: ((x: Tensor, y: Tensor, z: Tensor) => unknown[])[] = [
  (x) => [x],
  (x) => [{ a: x }],
  (x) => [{ b: x }],
  (x) => [[x]],
  (x, y) => [x, y],
  (x, y) => [[x], y],
  (x, y) => [x, [y]],
  (x, y) => [[x, y]],
  (x, y) => [{ x, y }],
  (x, y) => [{ y, x }],
  (x, y, z) => [x, { y, z }],
  (x, y, z) => [{ x, nested: { y } }, z],
  (x) => [x, x],
  (x, y) => [x, y, x],
  (x) => [x, 0],
  (x) => [x, -0],
  (x) => [x, 1],
  (x) => [x, '1'],
  (x) => [x, true],
  (x) => [x, { train: true }],
  (x) => [x, { test: true }],
  (x) => [x, []],
  (x) => [x, {}],
  (x) => [x, null],
  (x) => [x, undefined],
  (x) => [x, 'a', 'b'],
  (x) => [x, 'a,b'],
  (x) => [x, 'a", "b'],
  (x) => [x, Number.NaN],
  () => [],
  () => [{ train: true }],
];

/** Returns the tensors in arguments, and a number that depends on everything else in them. */
export function readArguments(args: readonly unknown[]): { tensors: Tensor[]; code: number } {
  const tensors: Tensor[] = [];
  const text = (value: unknown): string => {
    if (value instanceof rg.Tensor) return `t${tensors.push(value)}`;
    if (Array.isArray(value)) return `[${value.map(text).join()}]`;
    if (typeof value === 'object' && value !== null)
      return Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => `${key}:${text(item)}`)
        .join();
    return Object.is(value, -0) ? '-0' : `${typeof value}${String(value)}`;
  };
  let code = 0;
  for (const letter of args.map(text).join('|')) code = (code * 31 + letter.charCodeAt(0)) % 97;
  return { tensors, code };
}
