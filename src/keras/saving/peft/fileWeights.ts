/** @file The tensors of a file of PEFT, by the modules that they are of. */
import type { StoredTensor } from '../../../formats/storedTensor.ts';

/** Both matrices of an adapter in a file, as far as they were found. */
export interface Pair {
  /** The module's name in the file. */
  readonly formerly: string;
  a: StoredTensor | null;
  b: StoredTensor | null;
  /** Of DoRA. */
  magnitude: StoredTensor | null;
  /** Of the second matrix. */
  bias: StoredTensor | null;
}

/** The names of the tensors of a pair. */
export type PairPart = Exclude<keyof Pair, 'formerly'>;

/** A weight besides those of adapters: of modules_to_save, or of the layer that an adapter is for. */
export interface OtherWeight {
  readonly module: string;
  readonly parameter: string;
  readonly stored: StoredTensor;
  readonly isBase: boolean;
}
