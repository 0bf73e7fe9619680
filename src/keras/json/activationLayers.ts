/** @file Activations with options, which Keras saves as layers. */
import type { Json } from './document.ts';

const classes: Readonly<Record<string, string>> = {
  leakyRelu: 'LeakyReLU',
  elu: 'ELU',
  relu: 'ReLU',
  softmax: 'Softmax',
};

/** What such a layer has in its file, besides options. */
interface LayerParts {
  readonly name?: Json | undefined;
  readonly dtype?: Json | undefined;
}

/** The names and policies of the layers in a file, by the options that were read from them. */
const parts = new WeakMap<object, LayerParts>();

/** Keras's class of the layer that represents an activation; undefined if there is none. */
export function layerOfActivation(activation: string): string | undefined {
  return Object.hasOwn(classes, activation) ? classes[activation] : undefined;
}

/** Returns the activation that a layer represents; undefined for other layers. */
export function activationOfLayer(className: string): string | undefined {
  return Object.keys(classes).find((activation) => classes[activation] === className);
}

export function rememberParts(options: object, { name, dtype }: LayerParts): void {
  parts.set(options, { name, dtype });
}

export function rememberedParts(options: object): LayerParts {
  return parts.get(options) ?? {};
}
