/** @file The part of a model that is saved: what files describe, its weights, and its optimizer. */
import type { Variable } from '../../tensor/variable.ts';
import type { WrittenModel } from '../json/writtenModel.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';

export interface SavedModel extends WrittenModel {
  readonly weights: readonly Variable[];
  readonly optimizer: Optimizer | null;
}

/** Returns the optimizer of a compiled model. */
export function optimizerOf(model: SavedModel): Optimizer | null {
  return model.compileOptions ? model.optimizer : null;
}
