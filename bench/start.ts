/** @file Rows about starting: they are measured from outside, on pages and in bundles of their own. */
import type { Library } from './job.ts';

export const coldName = 'cold start, import to first result (matMul 256)';
export const sizeNames = {
  core: 'bundle, matMul + conv2d + gather + grad',
  keras: 'bundle, with Keras layers and VGG19',
} as const;

/** What a page downloads, in kB gzipped. */
export interface Weight {
  /** Before it does anything. */
  first: number;
  /** What `import()` brings, where it is wanted. */
  later: number;
}

/** By row: what `npm run bench -- --serve` leaves beside the page. */
export type Sizes = Record<keyof typeof sizeNames, Partial<Record<Library, Weight>>>;

/** Why a library has no size in a row. */
const missing: Record<keyof typeof sizeNames, Partial<Record<Library, string>>> = {
  core: {},
  keras: { tfjs: 'layers are a package of their own', jaxjs: 'no layers', ort: 'no layers' },
};

/** A row's values and what is to be said of them. */
export function sizeRow(row: keyof typeof sizeNames, weights: Sizes[keyof Sizes]) {
  const entries = Object.entries(weights) as [Library, Weight][];
  const values: Partial<Record<Library, number>> = {};
  const notes = { ...missing[row] };
  for (const [library, { first, later }] of entries) {
    values[library] = first;
    if (later > 0) notes[library] = `${later.toFixed(1)} kB more, loaded where they are wanted`;
  }
  return { values, notes };
}
