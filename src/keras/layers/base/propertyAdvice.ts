/** @file Names that are assigned to layers and models by mistake: `layer.trainble = false`, `model.stop_training = true`. */
import type { MethodHints } from '../../../core/methodHints.ts';
import { foldName, misspeltName } from '../../../core/suggest.ts';
import { knownOptionsOf } from '../../options/declaration.ts';

/** Returns advice for a property `name` that a layer doesn't have; null if the app may have defined it. */
export function adviceOn(layer: object, name: string): string | null {
  // A name of the app's own, as in Python.
  if (name.startsWith('_')) return null;
  // Classes of an app have their own properties, which may have similar names.
  const options = knownOptionsOf(layer.constructor);
  const settable = 'compile' in layer ? ['trainable', 'stopTraining'] : ['trainable'];
  const meant = settable.find((known) => foldName(known) === foldName(name));
  const found = meant ?? (options ? misspeltName(name, settable) : undefined);
  if (found !== undefined) return `did you mean '${found}'?`;
  if (!options) return null;
  if ('compile' in layer && compiled.includes(foldName(name)))
    return 'pass it to compile, with the optimizer and the metrics.';
  return options.some((option) => foldName(option) === foldName(name))
    ? 'it is an option: pass it where the layer is made.'
    : null;
}

/** Options of `compile`, folded. */
const compiled = ['loss', 'lossweights', 'runeagerly', 'stepsperexecution', 'weightedmetrics'];

/** Names of Keras and TF.js that layers and models have in other words. */
export const layerHints: MethodHints = {
  'trainableVariables getTrainableVariables': 'trainableWeights.',
  nonTrainableVariables: 'nonTrainableWeights.',
  variables: 'weights.',
  resetStates: 'resetState() of each recurrent layer of `layers` that is stateful.',
  addMetric: 'create a metric in the constructor, and call its updateState in `call`.',
  fitDataset: 'fit(batches, options).',
  evaluateDataset: 'evaluate(batches, options).',
};
