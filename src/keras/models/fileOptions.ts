/** @file Options of loading and saving models. */
import type { OptionNames } from '../../core/options.ts';
import type { OpenOptions } from '../../storage/sources.ts';

/** How far a file is loaded, in bytes of values. */
export interface LoadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** Options of `model.loadWeights`. */
export interface LoadWeightsOptions extends OpenOptions {
  /** Called with the bytes that have arrived and their total, where it is known. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Limits of zip archives. Defaults: 10,000 entries, an entry of 4 GiB, 100 times its stored size. */
  readonly limits?:
    | { readonly entries?: number; readonly entryBytes?: number; readonly ratio?: number }
    | undefined;
  /** The modules of PyTorch that the layers have the weights of. Default: torchvision's, or those of the same names. */
  readonly modules?: ModuleNaming | undefined;
  /** Whether weights that the model doesn't have are an error, such as those of a top. Default 'refuse'. */
  readonly extra?: 'refuse' | 'ignore' | undefined;
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
   * Whose names the file's tensors have. Weights that were trained in PyTorch want pictures as they are prepared there:
   * torchvision's are red, green and blue, divided by deviations.
   */
  readonly naming: WeightNaming;
}

/** 'keras': names of Keras, or of this library. */
export type WeightNaming = 'keras' | 'pytorch';

/** How far a file is written, in bytes of values. */
export interface SaveProgress {
  readonly saved: number;
  readonly total: number;
}

/** Options of saving weights and models. */
interface SavingOptions {
  /**
   * Whether the optimizer's state is saved. Default true, where the format has a place for it; for TF.js, where it has the same
   * optimizer, losses and metrics.
   */
  readonly includeOptimizer?: boolean | undefined;
  /** Interrupts saving: an older file is left unchanged. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SaveProgress) => void) | undefined;
}

/** `keras`: a file of Keras 3. `tfjs`: a layers model of TF.js, which is several files. */
export type ModelFormat = 'keras' | 'tfjs';

/** Options of `model.save`. */
export interface SaveOptions extends SavingOptions {
  /** Default: TF.js's for a folder and for `model.json`, else Keras's. */
  readonly format?: ModelFormat | undefined;
}

/** `keras`: a model or its weights in Keras 3's format. */
export type WeightsFormat = 'keras' | 'safetensors';

/** Options of `model.saveWeights`. */
export interface SaveWeightsOptions extends SavingOptions {
  /** Default: by the target's name, `.safetensors` or else Keras's. */
  readonly format?: WeightsFormat | undefined;
}

export const saveOptionNames: OptionNames<SaveOptions> = {
  format: false,
  includeOptimizer: false,
  signal: false,
  onProgress: false,
};
