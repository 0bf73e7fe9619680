/** @file Converts keys of Python's `x[...]`, which Keras saves in graphs, to strided slices and back. */
import { describe } from '../../core/shape.ts';
import { ValueError } from '../../core/errors.ts';
import type { StridedSliceOptions } from '../../ops/arrangement/stridedSlice.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

type Options = Readonly<Record<string, unknown>>;

/** One entry of a strided slice, with its flags. */
interface Entry {
  readonly begin?: number;
  readonly end?: number;
  readonly stride?: number;
  readonly isEllipsis?: boolean;
  readonly isNew?: boolean;
  readonly isOne?: boolean;
}

/** Returns the options of `stridedSlice` for a key. Errors: ValueError for keys that aren't numbers and ranges of numbers. */
export function stridedSliceOf(key: unknown): StridedSliceOptions {
  const entries = (Array.isArray(key) ? key : [key]).map(entryOf);
  const flags = (flag: (entry: Entry) => boolean) =>
    entries.reduce((mask, entry, i) => (flag(entry) ? mask | (1 << i) : mask), 0);
  return {
    begin: entries.map(({ begin = 0 }) => begin),
    end: entries.map(({ end = 0 }) => end),
    strides: entries.map(({ stride = 1 }) => stride),
    beginMask: flags(({ begin }) => begin === undefined),
    endMask: flags(({ end }) => end === undefined),
    ellipsisMask: flags(({ isEllipsis = false }) => isEllipsis),
    newAxisMask: flags(({ isNew = false }) => isNew),
    shrinkAxisMask: flags(({ isOne = false }) => isOne),
  };
}

function entryOf(item: unknown): Entry {
  if (item === null) return { isNew: true };
  if (isWhole(item)) return { begin: item, end: item + 1, isOne: true };
  const { class_name: className, config } = isObject(item) ? item : ({} as JsonObject);
  if (className === '__ellipsis__') return { isEllipsis: true };
  const { start = null, stop = null, step = null } = isObject(config) ? config : {};
  const isRange = [start, stop, step].every((bound) => bound === null || isWhole(bound));
  if (className === '__slice__' && isRange) {
    return {
      ...(start === null ? {} : { begin: start as number }),
      ...(stop === null ? {} : { end: stop as number }),
      ...(step === null ? {} : { stride: step as number }),
    };
  }
  throw new ValueError({
    op: 'getItem',
    rule: 'a key in a file is made of integers and ranges of them.',
    received: describe(item),
    hint: 'take elements by an op, such as gather, in a custom layer.',
  });
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Returns a strided slice as a key. */
export function keyOfStridedSlice(options: Options): { args: readonly Json[] } {
  const { begin, end, strides = [], ...masks } = options as unknown as StridedSliceOptions;
  const { beginMask = 0, endMask = 0, ellipsisMask = 0, newAxisMask = 0, shrinkAxisMask = 0 } = masks;
  const has = (mask: number, i: number) => ((mask >> i) & 1) === 1;
  const key = begin.map((first, i): Json => {
    if (has(ellipsisMask, i)) return { class_name: '__ellipsis__', config: {} };
    if (has(newAxisMask, i)) return null;
    if (has(shrinkAxisMask, i)) return first;
    const stop = has(endMask, i) ? null : (end[i] as number);
    return range(has(beginMask, i) ? null : first, stop, strides[i] ?? null);
  });
  return { args: [key] };
}

/** Returns a slice as a key. */
export function keyOfSlice({ begin, size = -1 }: Options): { args: readonly Json[] } {
  const [from, sizes] = [begin, size].map((given) => [given].flat() as number[]) as [number[], number[]];
  const key = from.map((first, i) => {
    const count = sizes[i] ?? -1;
    return range(first, count === -1 ? null : first + count, null);
  });
  return { args: [key] };
}

function range(start: number | null, stop: number | null, step: number | null): Json {
  return { class_name: '__slice__', config: { start, stop, step } };
}
