/** @file The single function by which launchers select their algorithms. */
import type { Tunable } from '../../webgpu/autotuner.ts';
import type { Device } from '../../webgpu/device.ts';
import { profileOf } from './deviceProfile.ts';
import { remembered } from './remembered.ts';

/**
 * Returns the algorithm to launch for `problem`: the fastest one measured, otherwise the one selected by sizes and adapter; never
 * one that the device blocks.
 */
export function algorithmFor<P extends object, A>(device: Device, tunable: Tunable<P, A>, problem: P): A {
  const profile = profileOf(device);
  const chosen =
    device.autotuner?.choose(tunable, problem, profile) ??
    remembered(profile, tunable.name, problem, () => tunable.select(problem, profile));
  return device.blocklist?.alternative(tunable, problem, chosen) ?? chosen;
}
