/** @file Adapters that are for kernels only. */
import { ValueError } from '../../../core/errors.ts';
import type { LoraOptions } from './adapter.ts';

/** Errors: ValueError for an adapter of embeddings with a bias, which PEFT has for kernels only. */
export function rejectLoraBias(layer: { readonly name: string }, options: LoraOptions | undefined): void {
  if (!options?.loraBias) return;
  throw new ValueError({
    op: `${layer.name}.enableLora`,
    rule: '`loraBias` is for adapters of kernels.',
    received: `${layer}`,
    hint: 'leave it out, or leave the layer out of `targets`.',
  });
}
