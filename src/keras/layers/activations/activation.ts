/** @file Activation: an activation function as a layer. */
import { ValueError } from '../../../core/errors.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import {
  type Activation as ActivationFunction,
  type ActivationLike,
  activationOf,
  serializeActivation,
} from '../../activations.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import { factoryOf, layer, type LayerOptions } from '../base/declare.ts';
import { activation as anyActivation } from '../../options/weightKinds.ts';
import type { OptionPlace } from '../../options/option.ts';

export interface ActivationOptions extends LayerOptions {
  /** The activation: a name such as 'relu', or a function of tensors. */
  activation: ActivationLike;
}

/** Activations whose results of integers are integers; those of an app get them as they are. */
const ofIntegers: ReadonlySet<string> = /* @__PURE__ */ new Set(['linear', 'relu', 'relu6']);

export class Activation extends /* @__PURE__ */ layer<ActivationOptions>('Activation', () => ({
  activation: { ...anyActivation(), read: required },
})) {
  override readonly supportsMasking: boolean = true;

  /** An activation may be a layer. */
  protected override get roundsResults(): boolean {
    return false;
  }

  /** @internal */
  override needsFloats(): boolean {
    const given = serializeActivation(this.activation);
    const name = (given as Partial<ClassConfig>).className ?? given;
    return typeof name === 'string' && !name.includes('>') && !ofIntegers.has(name);
  }

  override call(x: Tensor): Tensor {
    return this.activation(x);
  }
}

function required(given: unknown, { op }: OptionPlace): ActivationFunction {
  if (given !== undefined) return activationOf(given as ActivationLike);
  throw new ValueError({
    op,
    rule: 'it needs an activation.',
    received: 'none',
    hint: "pass its name: layers.activation('relu').",
  });
}

/** An activation function as a layer. Shape: that of the input. Errors: ValueError for an unknown name. */
export const activation = /* @__PURE__ */ factoryOf(Activation, ['activation']);
