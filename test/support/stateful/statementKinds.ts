/** @file Kinds of statements that need more than tensors and variables. */

/** Those that need layers, which take a while to make. */
export const layerKinds: ReadonlySet<string> = new Set([
  'a layer',
  'nested models',
  'recurrent layer with a mask',
  'training step',
]);
