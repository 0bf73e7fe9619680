/** @file Rows about starting: they are measured from outside, on pages and in bundles of their own. */
import type { Library } from './job.ts';

export const coldName = 'cold start, import to first result (matMul 256)';
export const sizeNames = {
  core: 'bundle, matMul + conv2d + gather + grad',
  keras: 'bundle, with Keras layers and VGG19',
} as const;

/** kB gzipped, by row: what `npm run bench -- --serve` leaves beside the page. */
export type Sizes = Record<keyof typeof sizeNames, Partial<Record<Library, number>>>;

/** Why a library has no size in a row. */
export const sizeNotes: Record<keyof typeof sizeNames, Partial<Record<Library, string>>> = {
  core: {},
  keras: { tfjs: 'layers are a package of their own', jaxjs: 'no layers', ort: 'no layers' },
};
