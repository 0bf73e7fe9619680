/** @file The part of a model that is saved: what files describe, its weights, and its optimizer. */
import type { Variable } from '../../tensor/variable.ts';
import type { WrittenModel } from '../json/writtenModel.ts';
import type { AdaptedLayer } from '../layers/base/adapter.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';

export interface SavedModel extends WrittenModel {
  readonly weights: readonly Variable[];
  readonly optimizer: Optimizer | null;
}

/**
 * Returns the optimizer whose state belongs to the weights in a file; null for none. A file has the sums of weights and adapters, and
 * the adapters of a loaded model are new, so there is no state for them.
 */
export function optimizerWithState(model: SavedModel): Optimizer | null {
  const { layersInside } = model as unknown as {
    layersInside: readonly { adapters?: AdaptedLayer['adapters'] }[];
  };
  return layersInside.some(({ adapters }) => adapters && adapters.size > 0) ? null : optimizerOf(model);
}

/** Returns the optimizer of a compiled model. */
export function optimizerOf(model: SavedModel): Optimizer | null {
  return model.compileOptions ? model.optimizer : null;
}
