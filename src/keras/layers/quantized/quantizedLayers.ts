/**
 * @file The classes of layers whose weights are integers of 4 or 8 bits, or rounded to float8, as Keras's files have them. A layer that
 * is quantized becomes one of them, so they have no private fields.
 */
import { Dense } from '../core/dense.ts';
import { EinsumDense } from '../core/einsumDense.ts';
import { Embedding } from '../core/embedding.ts';
import { QuantizedDense } from './quantizedDense.ts';
import { QuantizedEinsumDense } from './quantizedEinsumDense.ts';
import { QuantizedEmbedding } from './quantizedEmbedding.ts';

/** The classes that dense, einsum and embedding layers become. */
export const quantizedClasses = /* @__PURE__ */ new Map<unknown, unknown>([
  [Dense, QuantizedDense],
  [EinsumDense, QuantizedEinsumDense],
  [Embedding, QuantizedEmbedding],
]);
