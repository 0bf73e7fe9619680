/**
 * @file The classes of layers whose weights are integers of 4 or 8 bits, rounded to float8, or floats of 16 bits. A layer that is
 * quantized becomes one of them, so they have no private fields.
 */
import { isNarrowFloat, type NarrowFloat } from '../../../core/packedWeights.ts';
import { type AnyLayer, Layer } from '../base/layer.ts';
import { Dense } from '../core/dense.ts';
import { EinsumDense } from '../core/einsumDense.ts';
import { Embedding } from '../core/embedding.ts';
import { ReversibleEmbedding } from '../core/reversibleEmbedding.ts';
import { NarrowReversibleEmbedding, QuantizedEmbedding } from './quantizedEmbedding.ts';
import type { Quantization } from './quantization.ts';
import { QuantizedDense } from './quantizedDense.ts';
import { QuantizedEinsumDense } from './quantizedEinsumDense.ts';

/** The classes that dense, einsum and embedding layers become. */
export const quantizedClasses = /* @__PURE__ */ new Map<unknown, unknown>([
  [Dense, QuantizedDense],
  [EinsumDense, QuantizedEinsumDense],
  [Embedding, QuantizedEmbedding],
]);

/** The classes that layers become whose weights are floats of 16 bits. */
const narrowClasses = /* @__PURE__ */ new Map<unknown, unknown>([
  ...quantizedClasses,
  [ReversibleEmbedding, NarrowReversibleEmbedding],
]);

/** How the weights of a layer are quantized; null if they aren't. */
export function quantizationOf(layer: AnyLayer): Quantization | null {
  return (layer as { quantization?: Quantization | null }).quantization ?? null;
}

/** The class that `layer` becomes with weights of `mode`; null if there is none. Floats of 16 bits may become integers. */
export function classFor(layer: AnyLayer, mode: 'int8' | 'int4' | NarrowFloat): unknown {
  const { constructor: own } = layer;
  if (isNarrowFloat(mode)) return narrowClasses.get(own) ?? null;
  const isNarrow = isNarrowFloat(quantizationOf(layer)?.mode ?? '');
  const isKnown = [...quantizedClasses.values()].includes(own);
  return quantizedClasses.get(own) ?? (isNarrow && isKnown ? own : null);
}

/** Turns a layer without weights into one of class `type`, which isn't built yet. */
export function becomeQuantized(layer: AnyLayer, type: unknown, quantization: Quantization): void {
  Layer.giveMethods(layer, (type as { prototype: AnyLayer }).prototype);
  const maps = { elementTypes: new Map(), fileForms: new Map() };
  Object.assign(layer, { quantization, savedVariables: [], ...maps, built: false });
}
