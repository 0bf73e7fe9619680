/** @file Rows about startup, which are measured from outside, on separate pages and in separate bundles. */
import type { Library } from './job.ts';

export const coldName = 'cold start, import to first result (matMul 256)';

/** The measured bundles, and the parts of them that a page loads at once, or in total. */
const bundles = { core: 'matMul + conv2d + gather + grad', keras: 'with Keras layers and VGG19' } as const;
export type Bundle = keyof typeof bundles;
const parts = { first: 'initial load', all: 'total' } as const;
type Part = keyof typeof parts;

export interface SizeListing {
  readonly name: string;
  readonly bundle: Bundle;
  readonly part: Part;
}

export const sizeListings: readonly SizeListing[] = (Object.keys(bundles) as Bundle[]).flatMap((bundle) =>
  (Object.keys(parts) as Part[]).map((part) => ({
    name: `bundle, ${bundles[bundle]}, ${parts[part]}`,
    bundle,
    part,
  })),
);

/** What a page downloads, in kB gzipped. */
export interface Weight {
  /** Code that loads before the first call. */
  first: number;
  /** Code loaded by `import()`: with the device, or on first use. */
  later: number;
}

/** The sizes that `npm run bench -- --serve` saves next to the page. */
export type Sizes = Record<Bundle, Partial<Record<Library, Weight>>>;

/** Why a library has no size. */
const missing: Record<Bundle, Partial<Record<Library, string>>> = {
  core: {},
  keras: { tfjs: 'layers are a package of their own', jaxjs: 'no layers', ort: 'no layers' },
};

/** Returns a row's values, and notes about them. */
export function sizeRow({ bundle, part }: SizeListing, weights: Partial<Record<Library, Weight>>) {
  const entries = Object.entries(weights) as [Library, Weight][];
  const inKilobytes = ({ first, later }: Weight) => (part === 'first' ? first : first + later);
  return {
    values: Object.fromEntries(entries.map(([library, weight]) => [library, inKilobytes(weight)])),
    notes: missing[bundle],
  };
}
