/** @file How the weights of a layer are quantized. */

/** How the weights of a layer are quantized. */
export interface Quantization {
  readonly mode: 'int8' | 'int4' | 'float8' | 'gptq' | 'awq';
  /** Bits of a weight. */
  readonly bits: number;
  /** Number of weights with a common scale, along the axis that is summed; null for all of them. */
  readonly block: number | null;
  /** Length of the histories of float8. */
  readonly history: number;
  /** How inputs are rounded; null if they aren't. */
  readonly inputs: { readonly range: readonly [number, number]; readonly epsilon: number } | null;
}
