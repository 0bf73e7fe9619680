/** @file Conv1D: a convolution of sequences with a learned kernel, with bias and activation. */
import { GroupedConvolution, type GroupedConvolutionOptions } from './conv.ts';
import type { Single } from '../base/layerOptions.ts';

export interface Conv1DOptions extends Omit<GroupedConvolutionOptions<Single>, 'padding'> {
  /** 'causal' pads in front alone, so that no step sees what comes after it. Default 'valid'. */
  padding?: 'valid' | 'same' | 'causal';
}

export class Conv1D extends GroupedConvolution {
  static override readonly className: string = 'Conv1D';

  constructor(options: Conv1DOptions) {
    super(1, options, ['valid', 'same', 'causal']);
  }
}

/**
 * A convolution of sequences with a learned kernel. Shapes: [batch, steps, channels] → [batch, steps', filters]. Weights:
 * kernel [kernelSize, channels / groups, filters] and bias [filters].
 * Errors: ValueError for bad options; ShapeError for inputs that aren't sequences, or whose channels don't fit.
 */
export function conv1d(options: Conv1DOptions): Conv1D {
  return new Conv1D(options);
}
