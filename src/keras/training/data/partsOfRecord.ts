/** @file Batches and validation data as records: `{ x, y, sampleWeight }`, or with TF.js's names `{ xs, ys, sampleWeight }`. */
import { checkOptions } from '../../../core/options.ts';
import { isRecord } from '../perOutput.ts';
import type { Data } from './slots.ts';

/** Inputs with their targets, as a record. */
export type DataRecord =
  | { readonly x: Data; readonly y?: Data | null; readonly sampleWeight?: Data | null }
  | { readonly xs: Data; readonly ys?: Data | null; readonly sampleWeight?: Data | null };

export interface Parts {
  readonly x: unknown;
  readonly y?: unknown;
  readonly sampleWeight?: unknown;
}

/** Returns the parts of a record; null for anything else. Errors: ValueError for other keys. */
export function partsOfRecord(what: string, given: unknown): Parts | null {
  if (!isRecord(given) || !('x' in given || 'xs' in given)) return null;
  const [x, y] = 'x' in given ? ['x', 'y'] : ['xs', 'ys'];
  checkOptions(what, given, [x as string, y as string, 'sampleWeight']);
  return { x: given[x as string], y: given[y as string], sampleWeight: given.sampleWeight };
}
