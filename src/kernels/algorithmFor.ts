/** @file The single function by which launchers select their algorithms. */
import type { Tunable } from '../webgpu/autotuner.ts';
import type { Device } from '../webgpu/device.ts';
import { profileOf } from './adapterProfiles.ts';

/**
 * Returns the algorithm to launch for `problem`: the fastest one measured, otherwise the one selected by sizes and adapter; never
 * one that the device blocks.
 */
export function algorithmFor<P extends object, A>(device: Device, tunable: Tunable<P, A>, problem: P): A {
  const chosen = device.autotuner?.choose(tunable, problem) ?? selected(tunable, problem, profileOf(device));
  return device.blocklist?.alternative(tunable, problem, chosen) ?? chosen;
}

/** Selections by profile. Comparing all tiles of a GEMM takes several times as long as the rest of a call. */
const selections = new WeakMap<object, Map<string, unknown>>();

/** More than the problems of any program; it bounds what programs with ever new shapes keep. */
const maxSelections = 4096;

function selected<P extends object, A>(tunable: Tunable<P, A>, problem: P, profile: object): A {
  const known = selections.get(profile) ?? new Map<string, unknown>();
  if (known.size === 0 || known.size >= maxSelections) {
    known.clear();
    selections.set(profile, known);
  }
  // Problems are plain data.
  const key = tunable.name + JSON.stringify(problem);
  // The name of a tunable determines its types.
  const found = (known.get(key) as A | undefined) ?? tunable.select(problem, profile);
  known.set(key, found);
  return found;
}
