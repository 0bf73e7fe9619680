/** @file Activations with options, which Keras saves as layers. */

const classes: Readonly<Record<string, string>> = {
  leakyRelu: 'LeakyReLU',
  elu: 'ELU',
  relu: 'ReLU',
  softmax: 'Softmax',
};

/** The names of the layers in a file, by the options that were read from them. */
const names = new WeakMap<object, string>();

/** Keras's class of the layer that represents an activation; undefined if there is none. */
export function layerOfActivation(activation: string): string | undefined {
  return Object.hasOwn(classes, activation) ? classes[activation] : undefined;
}

/** Returns the activation that a layer represents; undefined for other layers. */
export function activationOfLayer(className: string): string | undefined {
  return Object.keys(classes).find((activation) => classes[activation] === className);
}

export function rememberLayerName(options: object, name: unknown): void {
  if (typeof name === 'string') names.set(options, name);
}

export function rememberedLayerName(options: object): string | undefined {
  return names.get(options);
}
