/** @file The random sequences of a model, those of layers with a seed such as dropout, and their states in files. */
import type { Pacer } from '../../core/pacer.ts';
import { inTurns } from '../../core/pieces.ts';
import { SeedSequence } from '../../ops/define/seeds.ts';
import { findInProperties } from '../layers/base/findInProperties.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { findSaveables, type Saveable } from './saveables.ts';
import { FormatError } from '../../core/errors.ts';
import { sizeOf } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';

const isSeeds = (value: unknown): value is SeedSequence => value instanceof SeedSequence;

/** Returns the random sequences of the model and of layers inside it, in order. */
export function seedsOf(model: object): SeedSequence[] {
  const inside = (model as Partial<AnyLayer>).layersInside ?? [];
  return [...new Set([model, ...inside].flatMap((layer) => findInProperties(layer, isSeeds)))];
}

const seedPath = /(^|\/)seed_generator(_\d+)?$/;

/** Returns whether a path in a file is that of a sequence's state. */
export function isSeedPath(path: string): boolean {
  return seedPath.test(path);
}

/**
 * Returns the random sequences by the paths of Keras's property for them, within those of their layers. Keras 3.15 saves no
 * state of its generators, and ignores it in files.
 */
function seedsByPath(saveables: readonly Saveable[]): Map<string, SeedSequence> {
  const found = new Map<string, SeedSequence>();
  const seen = new Set<SeedSequence>();
  for (const { path, layer } of saveables) {
    let count = 0;
    for (const seeds of findInProperties(layer, isSeeds)) {
      const name = count === 0 ? 'seed_generator' : `seed_generator_${count}`;
      count++;
      if (seen.has(seeds)) continue;
      seen.add(seeds);
      found.set(path === '' ? name : `${path}/${name}`, seeds);
    }
  }
  return found;
}

/** Returns the states of random sequences as files have them, by their paths. */
export function seedStates(saveables: readonly Saveable[]): Map<string, Uint32Array<ArrayBuffer>> {
  return new Map([...seedsByPath(saveables)].map(([path, sequence]) => [path, stateOf(sequence)]));
}

/**
 * Returns the state of a sequence like that of Keras's `SeedGenerator` on JAX: the seed and the number of draws in 32 bits each;
 * then their upper words, if they have any.
 */
function stateOf({ seed, drawn }: SeedSequence): Uint32Array<ArrayBuffer> {
  const both = [BigInt(seed), drawn];
  const [lower, upper] = [both, both.map((value) => value >> 32n)].map((words) =>
    words.map((word) => Number(BigInt.asUintN(32, word))),
  ) as [number[], number[]];
  return Uint32Array.from(upper.some((word) => word > 0) ? [...lower, ...upper] : lower);
}

/** Sets a sequence to a state of a file, whose seed it must have. Returns whether it is one. */
function setSeedState(sequence: SeedSequence, state: readonly number[]): boolean {
  const [seed = -1, drawn = -1, seedAbove = 0, drawnAbove = 0] = state;
  if (seed + seedAbove * 2 ** 32 !== sequence.seed || drawn < 0) return false;
  sequence.drawn = (BigInt(drawnAbove) << 32n) + BigInt(drawn);
  return true;
}

/**
 * Sequences that the file has no state of begin with their seeds. Errors: FormatError for anything but a state; the reason of the
 * pacer's signal.
 */
export async function restoreSeeds(
  model: AnyLayer,
  states: ReadonlyMap<string, StoredTensor>,
  file: string,
  pacer: Pacer,
): Promise<void> {
  if (states.size === 0) return;
  const sequences = seedsByPath(await inTurns(findSaveables(model), pacer));
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
