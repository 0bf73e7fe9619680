/** @file Identity: returns its input. */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** The class of layers created by `identity`, which documents shapes, weights and errors. */
export class Identity extends Layer {
  static override readonly className: string = 'Identity';

  static override get optionNames(): OptionNames<LayerOptions> {
    return layerOptionNames;
  }

  override readonly supportsMasking: boolean = true;

  override call(x: Tensor): Tensor {
    return x;
  }
}

/**
 * A layer that returns its input, of any shape and dtype.
 * Errors: none.
 */
export function identity(options?: LayerOptions): Identity;
export function identity(...args: unknown[]): Identity {
  return make(Identity, args);
}
