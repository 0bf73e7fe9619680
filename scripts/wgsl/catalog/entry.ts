/** @file An entry of the catalog: a kernel, its principal options and the variants that a reader should see. */
import type { KernelOptions } from '../../../src/webgpu/kernel.ts';

export interface CatalogEntry {
  /** The options that `npm run wgsl` starts from; every option of the kernel is a key. */
  defaults: KernelOptions;
  /** By file name: the options that differ from the defaults. */
  variants: Readonly<Record<string, Partial<KernelOptions>>>;
}

/** The kernels of a family, by name. */
export type Family = Readonly<Record<string, CatalogEntry>>;

/** Tables of options are merged with the defaults. */
export type Variant<O> = {
  [K in keyof O]?: O[K] extends Readonly<Record<string, unknown>> ? Partial<O[K]> : O[K];
};

/** A kernel with its defaults; the variant `default` changes no option. */
export function entry<O extends KernelOptions>(
  defaults: O,
  variants: Readonly<Record<string, Variant<O>>> = {},
): CatalogEntry {
  return { defaults, variants: { default: {}, ...(variants as CatalogEntry['variants']) } };
}
