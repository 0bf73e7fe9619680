/** @file The autotuner's view of the tunables of kernels: keys, descriptions, and launches of trials. */
import type { Tunable } from '../webgpu/autotuner.ts';
import type { Device } from '../webgpu/device.ts';
import { variantName } from '../kernels/selection/variantBlocklist.ts';
import { type DeviceProfile, profileOf } from '../kernels/selection/deviceProfile.ts';
import { conv2dTrials } from './conv2dTrials.ts';
import { gemmTrials } from './gemmTrials.ts';
import type { Trials, TuningTask } from './tuningTask.ts';

/** By the name of the tunable, which determines the types. */
const known: Readonly<Record<string, Trials<never, unknown> | undefined>> = {
  conv2d: conv2dTrials,
  gemm: gemmTrials,
};

function trialsOf<P extends object, A>({ name }: Tunable<P, A>): Trials<P, A> | undefined {
  return known[name] as Trials<P, A> | undefined;
}

/** Returns the key of a problem; null if its tunable can't be measured. */
export function keyOf<P extends object, A>(tunable: Tunable<P, A>, problem: P): string | null {
  const trials = trialsOf(tunable);
  return trials ? `${tunable.name}: ${trials.key(problem)}` : null;
}

/** Returns the algorithm named `name`; null if there is none. */
export function algorithmNamed<P extends object, A>(
  profile: DeviceProfile,
  tunable: Tunable<P, A>,
  problem: P,
  name: string,
): A | null {
  const candidates = trialsOf(tunable)?.algorithms(problem, profile);
  return candidates?.find((candidate) => candidate.name === name)?.algorithm ?? null;
}

/** Returns a problem with its candidates; null if its tunable can't be measured. */
export function taskOf<P extends object, A>(
  device: Device,
  tunable: Tunable<P, A>,
  problem: P,
): TuningTask<A> | null {
  const trials = trialsOf(tunable);
  if (!trials) return null;
  const profile = profileOf(device);
  const { blocklist } = device;
  const isBlocked = (name: string) => blocklist?.names.has(variantName(tunable.name, name)) ?? false;
  const all = trials.algorithms(problem, profile);
  const allowed = all.filter(({ name }) => !isBlocked(name));
  const usual = tunable.select(problem, profile);
  const chosen = blocklist?.alternative(tunable, problem, usual) ?? usual;
  // If all that are worth measuring are blocked, take the alternative.
  const candidates =
    allowed.length > 0 ? allowed : [{ name: 'alternative', algorithm: chosen, cost: null, rank: 0 }];
  const text = JSON.stringify(chosen);
  const selected = candidates.find(({ algorithm }) => JSON.stringify(algorithm) === text);
  if (!selected) throw new TypeError(`${tunable.name} selects an algorithm that it doesn't list: ${text}`);
  return {
    key: `${tunable.name}: ${trials.key(problem)}`,
    what: trials.describe(problem),
    candidates,
    selected,
    launch: (algorithm) => trials.launch(device, problem, algorithm),
  };
}
