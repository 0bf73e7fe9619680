/** @file How many channels an invocation computes in kernels that find the pixels of an image by divisions. */
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { elementsPerInvocation } from '../launch/strided.ts';

/** Returns how many of a pixel's channels, in units of the width, an invocation computes: all if they are few. */
export function channelsPerInvocation(profile: AdapterProfile, count: number, channels: number): number {
  const most = elementsPerInvocation(profile, count, () => true);
  return channels <= most ? channels : elementsPerInvocation(profile, count, (n) => channels % n === 0);
}
