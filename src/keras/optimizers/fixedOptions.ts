/** @file Options of an optimizer that cannot be set later: all but the learning rate. Recorded steps have them as constants. */
import { fixProperties } from '../../core/unknownProperties.ts';
import { foldName } from '../../core/suggest.ts';
import { optionNames } from './optimizerOptions.ts';

const hint = 'set optimizer.learningRate; for other options make another optimizer, and compile again.';

/** Returns advice for a property `name` that an optimizer doesn't have; `own` are the options of its class. */
export function adviceOn(name: string, own: readonly string[]): string | null {
  const wanted = foldName(name);
  if (wanted === 'lr' || wanted === 'learningrate') return "did you mean 'learningRate'?";
  return [...own, ...optionNames].some((option) => foldName(option) === wanted) ? hint : null;
}

/** From here on, assignments to the options `own` throw ValueError. */
export function fixOptions(optimizer: object, own: readonly string[]): void {
  fixProperties(optimizer, own, hint);
}
