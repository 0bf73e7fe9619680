/** @file Activation: an activation function as a layer. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { ValueError } from '../../../core/errors.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import {
  type Activation as ActivationFunction,
  type ActivationLike,
  activationOf,
  serializeActivation,
} from '../../activations.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `activation`. */
export interface ActivationOptions extends LayerOptions {
  /** The activation: a name such as 'relu', or a function of tensors. */
  activation: ActivationLike;
}

/** The class of layers created by `activation`, which documents shapes, weights and errors. */
export class Activation extends Layer {
  static override readonly className: string = 'Activation';

  static override get optionNames(): OptionNames<ActivationOptions> {
    return { activation: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  readonly activation: ActivationFunction;

  constructor(options: ActivationOptions) {
    super(options);
    if (options.activation === undefined) throw withoutActivation(this.name);
    this.activation = activationOf(options.activation);
  }

  override call(x: Tensor): Tensor {
    return this.activation(x);
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), activation: serializeActivation(this.activation) };
  }
}

function withoutActivation(name: string): ValueError {
  return new ValueError({
    op: name,
    rule: 'it needs an activation.',
    received: 'none',
    hint: "pass its name: layers.activation('relu').",
  });
}

/** An activation function as a layer. Shape: that of the input. Errors: ValueError for an unknown name. */
export function activation(options: ActivationOptions): Activation;
export function activation(...settings: Positions<ActivationOptions, ['activation']>): Activation;
export function activation(...args: unknown[]): Activation {
  return make(Activation, args);
}
