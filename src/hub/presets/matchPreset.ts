/** @file Finds the variables of a preset for each weight of a model, and says everything that doesn't fit at once. */
import { FormatError } from '../../core/errors.ts';
import { formatShape, sameShape, type Shape } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { Matched } from '../checkpoints/matchTensors.ts';
import type { PresetWeight } from './presetWeights.ts';
import { placeOf } from './presetStore.ts';
import { storedAs } from './storedAs.ts';

/** The weights that one file has, and its tensors. */
export interface PresetPart {
  readonly weights: readonly PresetWeight[];
  /** Null: the file isn't there, or of another task; the weights have initial values. */
  readonly tensors: ReadonlyMap<string, StoredTensor> | null;
  /** Tensors that the model needn't have. */
  readonly leftOut?: RegExp | undefined;
}

/** Errors: FormatError that names all variables that are missing, left over, of another shape or not of floats. */
export function matchPreset(parts: readonly PresetPart[], file: string): Matched {
  const faults: string[] = [];
  const weights: { weight: PresetWeight; stored: readonly StoredTensor[] }[] = [];
  const initialized: string[] = [];
  const unused: string[] = [];
  for (const { weights: wanted, tensors, leftOut } of parts) {
    if (!tensors) {
      initialized.push(...wanted.flatMap(({ places }) => places));
      continue;
    }
    const left = new Set(tensors.keys());
    for (const weight of wanted) {
      const found = weight.places.map((place) => tensors.get(placeOf(place)));
      for (const [i, place] of weight.places.entries()) {
        left.delete(placeOf(place));
        const fault = faultOf(place, found[i], weight.shapes[i] as Shape);
        if (fault) faults.push(fault);
      }
      weights.push({ weight, stored: found as StoredTensor[] });
    }
    for (const place of left) {
      if (leftOut?.test(place)) unused.push(place);
      else faults.push(`'${place}' is left over`);
    }
  }
  if (faults.length > 0) throw unfit(file, faults);
  return {
    weights: weights.map(({ weight, stored }) => {
      const { variable } = weight;
      return { path: variable.path, variable, stored: storedAs(weight, stored) };
    }),
    initialized,
    unused,
  };
}

function faultOf(place: string, stored: StoredTensor | undefined, shape: Shape): string | null {
  if (!stored) return `'${place}' is missing`;
  if (stored.dtype !== 'float32') return `'${place}' is of ${stored.dtype} instead of floats`;
  if (sameShape(stored.shape, shape)) return null;
  return `'${place}' is ${formatShape(stored.shape)} instead of ${formatShape(shape)}`;
}

function unfit(file: string, faults: readonly string[]): FormatError {
  return new FormatError({
    op: `fromPretrained ${file}`,
    rule: 'the files of the preset have each weight of the network, in its shape, and no others.',
    received: faults.join('; '),
    hint: 'config.json and the weights are of different networks: fetch all files of the preset again.',
  });
}
