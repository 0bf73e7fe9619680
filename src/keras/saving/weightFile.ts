/** @file The weights of an open file in any format. */
import type { Pieces } from '../../core/pieces.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { WeightNaming } from './fileOptions.ts';
import type { FitOptions } from './fit.ts';
import type { StoredModel, StoredWeight } from './storedWeights.ts';

/** The weights of a file. */
export interface WeightFile {
  /** All tensors of weights. */
  readonly tensors: readonly StoredTensor[];
  /** The optimizer's variables in their order; null if the file has none that can be used. */
  readonly optimizer: readonly StoredTensor[] | null;
  /** The states of random sequences by their paths: the seed, and the number of draws. Default: none. */
  readonly seeds?: ReadonlyMap<string, StoredTensor>;
  /** Whether these are of an optimizer inside one that scales the loss, which Keras adds to models with mixed_float16. */
  readonly scalesLoss?: boolean;
  /** How the weights are named. Default 'keras'. */
  readonly naming?: WeightNaming;
  /** Errors: FormatError for weights that are missing, left over, or have another shape. */
  match(model: StoredModel, options: FitOptions): Pieces<StoredWeight[]>;
  /** Closes files other than the one that was opened. */
  close?(): Promise<void>;
}
