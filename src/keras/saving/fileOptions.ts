/** @file Options of loading and saving models. */
import type { OptionNames } from '../../core/options.ts';
import type { OpenOptions } from '../../storage/sources.ts';

/** Progress of loading a file, in bytes of values. */
export interface LoadProgress {
  readonly loaded: number;
  readonly total: number;
}

export interface LoadWeightsOptions extends OpenOptions {
  /** Called with the number of bytes that have arrived, and the total. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Limits of zip archives. Defaults: 10,000 entries, each up to 4 GiB and up to 100 times its stored size. */
  readonly limits?:
    | { readonly entries?: number; readonly entryBytes?: number; readonly ratio?: number }
    | undefined;
  /** The PyTorch modules whose weights the layers take. Default: torchvision's, or those of the same names. */
  readonly modules?: ModuleNaming | undefined;
  /** Whether weights that the model doesn't have are an error, such as those of a top. Default 'reject'. */
  readonly extra?: 'reject' | 'ignore' | undefined;
}

export const loadOptionNames: OptionNames<LoadWeightsOptions> = {
  file: false,
  signal: false,
  onProgress: false,
  limits: false,
  modules: false,
  extra: false,
};

/** Names of PyTorch's modules by names of layers: { conv1: 'features.0' }, or a function. */
export type ModuleNaming = Readonly<Record<string, string>> | ((layer: string) => string | undefined);

/** The result of loading weights. */
export interface LoadReport {
  /** Paths of the loaded weights. */
  readonly loaded: readonly string[];
  /** Weights that contain NaN or infinite values, and how many. */
  readonly notFinite: readonly { readonly weight: string; readonly notFinite: number }[];
  /**
   * The naming scheme of the file's tensors. Weights that were trained in PyTorch expect images preprocessed as there: for
   * torchvision, red, green and blue, divided by standard deviations.
   */
  readonly naming: WeightNaming;
}

/** 'keras': names as in Keras or this library; 'pytorch': names as in PyTorch. */
export type WeightNaming = 'keras' | 'pytorch';

/** Progress of writing a file, in bytes of values. */
export interface SaveProgress {
  readonly saved: number;
  readonly total: number;
}

/** Options of saving weights and models. */
interface SavingOptions {
  /**
   * Whether to save the optimizer's state. Default true if the format supports it; for TF.js, if it has the same optimizer,
   * losses and metrics.
   */
  readonly includeOptimizer?: boolean | undefined;
  /** Aborts saving; an older file is left unchanged. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SaveProgress) => void) | undefined;
}

/** `keras`: a file of Keras 3. `tfjs`: a TF.js layers model, which consists of several files. */
export type ModelFormat = 'keras' | 'tfjs';

/** Options of `model.save`. */
export interface SaveOptions extends SavingOptions {
  /** Format of the saved model. Default: 'tfjs' for a folder and for `model.json`, otherwise 'keras'. */
  readonly format?: ModelFormat | undefined;
}

/** `keras`: a model or its weights in Keras 3's format. */
export type WeightsFormat = 'keras' | 'safetensors';

export interface SaveWeightsOptions extends SavingOptions {
  /** Format of the saved weights. Default: 'safetensors' if the target's name ends with `.safetensors`, otherwise 'keras'. */
  readonly format?: WeightsFormat | undefined;
  /**
   * Saves several files and an index, `NAME.weights.json` or `NAME.safetensors.index.json`: the most gigabytes of values in
   * one of them, unless a single weight has more. The target is that name, or a folder. Default: one file.
   */
  readonly maxShardSize?: number | undefined;
}

export const saveOptionNames: OptionNames<SaveOptions> = {
  format: false,
  includeOptimizer: false,
  signal: false,
  onProgress: false,
};

export const saveWeightsOptionNames: OptionNames<SaveWeightsOptions> = {
  ...saveOptionNames,
  maxShardSize: false,
};
