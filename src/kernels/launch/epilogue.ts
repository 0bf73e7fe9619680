/** @file The epilogue of kernels that sum: a bias, then an activation. */
import type { EpilogueOptions } from '../../../shaders/lib/epilogue.ts';
import type { Bindings } from '../../webgpu/kernel.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export interface Epilogue {
  /** A vector of one value for each column. */
  readonly bias?: Tensor | null;
  /** WGSL expression of `value`; may use `params.alpha`. */
  readonly activation?: string;
  readonly alpha?: number;
}

export function epilogueOptions({ bias, activation = 'value' }: Epilogue): EpilogueOptions {
  return { bias: Boolean(bias), activation };
}

/** The binding of a bias with elements of `type`, if there is one. */
export function biasBinding({ bias }: Pick<EpilogueOptions, 'bias'>, type: string): Bindings {
  return bias ? { bias_values: `read ${type}` } : {};
}

/** The bound tensor. */
export function biasStorage({ bias }: Epilogue): Readonly<Record<string, Storage>> {
  return bias ? { bias_values: bias.storage } : {};
}
