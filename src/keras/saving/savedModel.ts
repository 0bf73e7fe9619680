/** @file The part of a model that is saved: what files describe, its weights, and its optimizer. */
import type { WrittenModel } from '../json/writtenModel.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import type { SavedLayer } from './saveables.ts';

export type SavedModel = AnyLayer & WrittenModel & { readonly optimizer: Optimizer | null };

/**
 * Returns the optimizer whose state belongs to the weights in a file; null for none. A file has the sums of weights and adapters, and
 * the adapters of a loaded model are new, so there is no state for them.
 */
export function optimizerWithState(model: SavedModel): Optimizer | null {
  const layers = model.layersInside as readonly SavedLayer[];
  return layers.some(({ adapters }) => adapters && adapters.size > 0) ? null : optimizerOf(model);
}

/** Returns the optimizer of a compiled model. */
export function optimizerOf(model: SavedModel): Optimizer | null {
  return model.compileOptions ? model.optimizer : null;
}
