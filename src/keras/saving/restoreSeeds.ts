/** @file Sets the random sequences of layers to their states in a file. */
import { FormatError } from '../../core/errors.ts';
import { sizeOf } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { seedsByPath, setSeedState } from './seedsOf.ts';

/** Sequences that the file has no state of begin with their seeds. Errors: FormatError for anything but a state. */
export async function restoreSeeds(
  model: AnyLayer,
  states: ReadonlyMap<string, StoredTensor>,
  file: string,
): Promise<void> {
  const sequences = seedsByPath(model);
  for (const [path, { shape, read }] of states) {
    const sequence = sequences.get(path);
    if (!sequence) continue;
    const size = sizeOf(shape);
    const state = size === 2 || size === 4 ? [...(await read(0, size))] : [];
    if (setSeedState(sequence, state)) continue;
    throw new FormatError({
      op: `loadModel ${file}`,
      rule: `the state of the seeds of '${path}' is the seed of its layer and a number of draws.`,
      received:
        state.length > 0 ? `[${state.join(', ')}], where the seed is ${sequence.seed}` : `${size} values`,
      hint: 'save the model again.',
    });
  }
}
